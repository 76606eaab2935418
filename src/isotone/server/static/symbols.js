// Any symbol as something that can be seen by itself: as in isotone.drawing.symbols.

const INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";
const MARK = /^\p{M}/u;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Cf}]/u;
const SHAPING = /[\u200c\u200d\u{e0020}-\u{e007f}]/u;
const JOINING = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Adlam}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The symbol, visible: ␣ for a blank, ◌ under marks, compatibility jamo, U+XXXX for what has no shape. */
export function visible(symbol) {
  if (!symbol) return "∅";
  const jamo = compatible(symbol);
  if (jamo) return jamo;
  const characters = [...symbol];
  if (characters.every((character) => SHAPING.test(character))) return characters.map(codePoint).join(" ");
  const shown = characters.map((character) => (character === " " ? "␣" : hidden(character) ? codePoint(character) : character));
  return (MARK.test(symbol) ? "◌" : "") + shown.join("");
}

const hidden = (character) => HIDDEN.test(character) && !SHAPING.test(character);

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

function compatible(symbol) {
  if (symbol.length !== 1) return "";
  const code = symbol.charCodeAt(0);
  if (code >= 0x1100 && code <= 0x1112) return INITIALS[code - 0x1100];
  if (code >= 0x1161 && code <= 0x1175) return String.fromCharCode(0x314f + code - 0x1161);
  return code >= 0x11a8 && code <= 0x11c2 ? FINALS[code - 0x11a8] : "";
}

/** What a reader of a drawing of these symbols should know about their script; empty for most. */
export function remark(symbols) {
  const text = symbols.join("");
  const parts = [];
  if (RIGHT_TO_LEFT.test(text)) parts.push("Letters run from left to right in the order in which they are read.");
  if (JOINING.test(text)) parts.push("Each stands in its isolated form; in running text they join.");
  if (symbols.some((symbol) => MARK.test(symbol))) parts.push("◌ stands for the letter that a mark sits on.");
  return parts.join(" ");
}

/** 91.3 %, 0.02 %, < 0.01 %. */
export function percent(probability) {
  const value = 100 * probability;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  return `${value.toFixed(value >= 99.95 || value === 0 ? 0 : value < 1 ? 2 : 1)} %`;
}

/** Two decimals and a true minus sign; −∞ for null. */
export function nats(value) {
  return value === null ? "−∞" : value.toFixed(2).replace("-0.00", "0.00").replace("-", "−");
}
