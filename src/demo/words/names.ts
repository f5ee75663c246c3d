/** Given and family names, by language: what people of a place are called. */
export interface Names {
  readonly given: readonly string[]
  readonly family: readonly string[]
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const english: Names = {
  given: words(`
    Ada Amara Ben Brigid Callum Chidi Dana Dara Devi Eli Esme Farid Freya Grace Hana Harper Imani Iris Jonas June
    Kaya Kofi Lena Leo Maeve Malik Mina Nadia Niamh Noah Odette Omar Otis Priya Quinn Rafi Rosa Rowan Sam Sana Theo
    Tunde Uma Vera Wes Yara Zadie Zoe
  `),
  family: words(`
    Abara Ashworth Bailey Barros Bell Chowdhury Clarke Diaz Doyle Eze Finch Gallagher Hale Ibrahim Iyer Jones Kaur
    Keane Lindqvist Mbeki Mehta Moss Nakamura Novak Okafor Osei Parker Quill Rao Reid Sato Shah Silva Singh Stone
    Tanaka Thorne Vance Walsh Whitlock Wren Young
  `),
}

const spanish: Names = {
  given: words(
    'Alba Bruno Camila Diego Elena Facundo Inés Julián Lucía Marisol Mateo Nuria Paloma Rodrigo Sofía Tomás Valeria Ximena',
  ),
  family: words(
    'Aguilar Benítez Castro Delgado Espinoza Fuentes Herrera Ibarra Luna Medina Navarro Ortega Paredes Ríos Salas Vega',
  ),
}

const portuguese: Names = {
  given: words(
    'Afonso Beatriz Caio Clara Davi Fernanda Heitor Inês Joana Lara Luísa Marina Rui Tainá Thiago Vitória',
  ),
  family: words(
    'Almeida Barbosa Cardoso Duarte Esteves Ferreira Gonçalves Lopes Moreira Nogueira Pinto Queiroz Ramos Teixeira',
  ),
}

const french: Names = {
  given: words(
    'Aïcha Amélie Bastien Camille Chloé Étienne Fatou Gaspard Hugo Jeanne Léa Lucie Margaux Maxime Ousmane Solène Théo Zélie',
  ),
  family: words(
    'Blanchet Chevalier Diallo Dubois Fontaine Garnier Lambert Lefèvre Marchand Moreau Ndiaye Perrin Rousseau Tremblay',
  ),
}

const german: Names = {
  given: words(
    'Anke Björn Clara Emil Frieda Greta Hannes Jana Jürgen Karla Lotte Marlene Matthis Nele Oskar Sören Thea Wanda',
  ),
  family: words(
    'Albrecht Brandt Dietrich Engel Fuchs Gruber Hofer Jäger Keller Lindner Maurer Pohl Richter Sommer Vogt Weiß',
  ),
}

const japanese: Names = {
  given: words('葵 陽菜 蓮 湊 結衣 大翔 美咲 悠真 さくら 健太 直子 翔太 千尋 花'),
  family: words('佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田'),
}

const turkish: Names = {
  given: words(
    'Ayşe Baran Cem Defne Ela Emre Gökçe Hasan İpek Kerem Leyla Mert Nazlı Onur Selin Umut Yağmur',
  ),
  family: words('Aksoy Aydın Çelik Demir Doğan Kaya Koç Özdemir Polat Şahin Toprak Yıldız'),
}

export const namesOf: Readonly<Record<string, Names>> = {
  en: english,
  es: spanish,
  pt: portuguese,
  fr: french,
  de: german,
  ja: japanese,
  tr: turkish,
}

/** Parts of invented handles: what people call themselves who do not use their name. */
export const handles = {
  first: words(`
    amber arctic bitter brave calm cedar cloud copper cosmic crisp dusty early fern fuzzy gentle hazel hidden hollow
    indigo ivory jolly juniper kelp little lunar maple marsh mellow misty mossy north odd olive paper pebble plain
    plum quiet rainy river rusty salty silver slow soft solar spare still stone sunny tidal tiny velvet warm wild
  `),
  second: words(`
    acorn anchor badger bakery beacon bean beetle bell birch boot bread button cactus canal candle canyon cedar comet
    cove crane crow dawn dune ember falcon fern fig finch fox garden ghost grove harbor heron hill island jam kettle
    lark lemon lighthouse loom lynx magpie map meadow mole moth newt oak orchard otter owl pepper pine poet pond radio
    raven reed robin sailor sparrow spoon tea teapot thistle tide toast turnip vinyl walnut whale willow wren yarn
  `),
}
