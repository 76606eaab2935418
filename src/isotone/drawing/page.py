"""The look that all pages share, and the style and the script of the alignment page."""

__all__ = ["LEGEND", "SCRIPT", "STYLE", "THEME"]

THEME = """
:root{color-scheme:light dark;
--page:#f5f6f8;--card:#fff;--ink:#1c2330;--soft:#667085;--line:#e2e5eb;--hot:#b45309;--link:#1f5fbf;--shade:#1c233040}
@media(prefers-color-scheme:dark){
:root{--page:#12151b;--card:#1b2029;--ink:#e7eaf0;--soft:#98a2b3;--line:#2c333f;--hot:#f5a524;--link:#7fb0ff;--shade:#000c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,sans-serif}
h1{margin:0 0 .5rem;font-size:1.25rem;overflow-wrap:anywhere}
.legend,.score,small{color:var(--soft)}
.legend{display:flex;align-items:center;gap:.4rem;margin:.5rem 0 0;font-size:.8rem}
.scale{width:5rem;height:.7rem;border-radius:4px;background:linear-gradient(90deg,#2f7de100,#2f7de1);
border:1px solid var(--line)}
.ring{width:.7rem;height:.7rem;margin-left:.9rem;border:2px solid #f08c1d;border-radius:50%}
.arrow{color:var(--soft);font-weight:400}
.score{margin:0 0 .6rem;font-size:.85rem;font-variant-numeric:tabular-nums}
.map,.wide{overflow-x:auto;background:linear-gradient(90deg,var(--card) 40%,transparent) 0 0/3rem 100% no-repeat local,
linear-gradient(-90deg,var(--card) 40%,transparent) 100% 0/3rem 100% no-repeat local,
linear-gradient(90deg,var(--shade),transparent) 0 0/.9rem 100% no-repeat scroll,
linear-gradient(-90deg,var(--shade),transparent) 100% 0/.9rem 100% no-repeat scroll}
.map .isotone-map{display:block;max-width:100%;min-width:min(var(--least),100rem)}
.map:focus-visible,.wide:focus-visible{outline:2px solid #2f7de1;outline-offset:2px}
.none{color:var(--soft)}
"""
"""What all pages share: colours for light and dark, type, and the parts of a heat map."""

LEGEND = (
    '<p class="legend"><span class="scale" aria-hidden="true"></span> posterior 0 – 100 %'
    '<span class="ring" aria-hidden="true"></span> best path</p>'
)
"""How to read a heat map."""

# content-visibility lets the browser skip cards out of sight, so two thousand maps open as fast as ten.
STYLE = (
    THEME
    + """
header{position:sticky;top:0;z-index:1;padding:.9rem 1.5rem .7rem;background:var(--page);
border-bottom:1px solid var(--line)}
form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center}
input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:.35rem .7rem}
input{flex:1 1 14rem;max-width:28rem}
input:focus-visible,select:focus-visible{outline:2px solid #2f7de1;outline-offset:1px}
output{color:var(--soft)}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(25rem,100%),1fr));gap:1rem;
align-items:start;padding:1.2rem 1.5rem}
article{content-visibility:auto;contain-intrinsic-size:auto 24rem;background:var(--card);
border:1px solid var(--line);border-radius:12px;padding:1rem 1.1rem}
article[hidden]{display:none}
article.long{grid-column:1/-1}
h2{margin:0;font-size:1.05rem;overflow-wrap:anywhere}
.links{display:flex;flex-wrap:wrap;gap:.3rem;margin:.7rem 0 0;padding:0;list-style:none;font-size:.85rem}
.links li{padding:.05rem .5rem;border:1px solid var(--line);border-radius:99px;white-space:nowrap}
.links small{font-variant-numeric:tabular-nums}
.links .doubt,.links .doubt small{border-color:var(--hot);color:var(--hot)}
@media(max-width:40rem){header{padding:.7rem .8rem}main{padding:.8rem}article{padding:.8rem .9rem}}
@media print{header{position:static}form{display:none}article{break-inside:avoid}}
"""
)

# Cards are reordered by the CSS property `order`: nothing moves in the document, nothing is drawn again.
SCRIPT = """
const cards = [...document.querySelectorAll("article")];
const find = document.getElementById("find");
const order = document.getElementById("order");
const count = document.getElementById("count");
const total = cards.length.toLocaleString("en");
find.addEventListener("input", () => {
  const wanted = find.value.trim().toLowerCase();
  let shown = 0;
  for (const card of cards) {
    card.hidden = !card.dataset.words.includes(wanted);
    shown += !card.hidden;
  }
  count.value = wanted ? shown.toLocaleString("en") + " of " + total + " pairs" : total + " pairs";
});
const number = (card, key) => {
  const text = card.dataset[key];
  return text === "-inf" ? -Infinity : Number(text);
};
order.addEventListener("input", () => {
  const key = order.value;
  const ranked = [...cards].sort((a, b) => {
    const first = number(a, key), second = number(b, key);
    return first === second ? a.dataset.n - b.dataset.n : first - second;
  });
  ranked.forEach((card, rank) => { card.style.order = rank; });
});
"""
