/**
 * Computes the area under the ROC curve: the probability that a random honest account scores higher than a
 * random spam account; ties count half. By ranks (Mann and Whitney 1947).
 */
export function areaUnderCurve(scores: Float64Array, isSpam: Uint8Array): number {
  const order = Uint32Array.from(scores, (_, user) => user).sort((a, b) => scores[a]! - scores[b]!)
  let honest = 0
  let spam = 0
  let won = 0
  for (let first = 0; first < order.length; ) {
    let next = first
    let tiedSpam = 0
    while (next < order.length && scores[order[next]!] === scores[order[first]!]) {
      tiedSpam += isSpam[order[next]!]!
      next += 1
    }
    const tiedHonest = next - first - tiedSpam
    won += tiedHonest * (spam + tiedSpam / 2)
    honest += tiedHonest
    spam += tiedSpam
    first = next
  }
  return won / (honest * spam)
}
