/** Texts of casts: every fourth has an emoji or another script than Latin. */

const WORDS =
  `morning river bread tomato rain soil music walk friends seeds light window coffee train letter garden
  boat paper stone summer winter market bridge kitchen photo song weather harvest cloud harbor evening street lantern
  forest meadow lighthouse island`
    .trim()
    .split(/\s+/)

/** Words are a prime number, so that steps never meet. */
const STEPS = [7, 11, 13, 17, 23]

/** One character outside of Latin-1 makes a string of JavaScript twice as wide, and a whole page that it is joined into. */
const PHRASES = [
  'so good 🌱🌱',
  'おはようございます、今日はいい天気ですね',
  'gm ☀️ everyone 👋🏽',
  'Сегодня в саду очень тихо',
  '今天的花园很美，我们去划船吧',
  'this is the way 🚀🔥',
  'صباح الخير يا أصدقاء',
  '안녕하세요, 오늘도 좋은 하루',
  'सुप्रभात दोस्तों, आज मौसम अच्छा है',
  'café, naïve, œuvre — “quoted”…',
  '👩‍👩‍👧‍👦 family day 🏡',
  'Καλημέρα σε όλους',
]

/** @param {number} n @returns {string} what the network's SQL writes behind the beginning of cast `n`. */
export function castText(n) {
  const words = STEPS.map((step) => WORDS[(n * step) % WORDS.length]).join(' ')
  return n % 4 === 0 ? `${words} ${PHRASES[(n / 4) % PHRASES.length]}` : words
}

/** The same as SQL. @param {string} n */
export function castTextSql(n) {
  const list = (/** @type {string[]} */ texts) => `(array[${texts.map((text) => `'${text}'`)}])`
  const words = STEPS.map((step) => `${list(WORDS)}[1 + (${n}) * ${step} % ${WORDS.length}]`)
  return `${words.join(" || ' ' || ")} ||
    case when (${n}) % 4 = 0 then ' ' || ${list(PHRASES)}[1 + (${n}) / 4 % ${PHRASES.length}] else '' end`
}
