"""The models that we make: `make models` trains, exports and describes each; one of them is part of the package."""
