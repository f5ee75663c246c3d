import { foldText } from './required-literals.js'

/** Finds which of many pieces stand in a text, in one pass over it (Aho and Corasick, 1975). */
export interface LiteralIndex<Owner> {
  /** Calls with the owners of each piece that stands in the text; more than once where it stands more than once. */
  search(text: string, onMatch: (owner: Owner) => void): void
}

interface Node<Owner> {
  readonly next: Map<number, Node<Owner>>
  /** The longest piece's beginning that this one ends with. */
  failureLink: Node<Owner> | null
  /** The nearest node, this one or by fallbacks, at which a piece ends. */
  outputLink: Node<Owner> | null
  readonly owners: Owner[]
}

/** Pairs of characters, thrown together where they share these bits. */
const PAIR_SLOTS = 1 << 16

function pairSlot(first: number, second: number): number {
  return ((first * 251) ^ second) & (PAIR_SLOTS - 1)
}

/** Makes the index. Pieces are folded already, and of two characters at least. */
export function createLiteralIndex<Owner>(
  entries: Iterable<readonly [piece: string, owner: Owner]>,
): LiteralIndex<Owner> {
  const root = createNode<Owner>()
  const firstPairs = new Uint8Array(PAIR_SLOTS)
  for (const [literal, owner] of entries) {
    insertLiteral(root, literal).owners.push(owner)
    firstPairs[pairSlot(literal.charCodeAt(0), literal.charCodeAt(1))] = 1
  }
  linkFallbacks(root)

  function search(text: string, onMatch: (owner: Owner) => void): void {
    if (root.next.size === 0) return
    const folded = foldText(text)
    let node = root
    for (let at = 0; at < folded.length; at += 1) {
      const code = folded.charCodeAt(at)
      // Most places of a text begin nothing, which two characters tell.
      if (node === root && firstPairs[pairSlot(code, folded.charCodeAt(at + 1))] === 0) continue
      let next = node.next.get(code)
      while (next === undefined && node.failureLink !== null) {
        node = node.failureLink
        next = node.next.get(code)
      }
      node = next ?? root
      for (let end = node.outputLink; end !== null; end = end.failureLink?.outputLink ?? null) {
        for (const owner of end.owners) onMatch(owner)
      }
    }
  }

  return { search }
}

function createNode<Owner>(): Node<Owner> {
  return { next: new Map(), failureLink: null, outputLink: null, owners: [] }
}

function insertLiteral<Owner>(root: Node<Owner>, literal: string): Node<Owner> {
  let node = root
  for (let at = 0; at < literal.length; at += 1) {
    const code = literal.charCodeAt(at)
    let next = node.next.get(code)
    if (next === undefined) {
      next = createNode<Owner>()
      node.next.set(code, next)
    }
    node = next
  }
  return node
}

/** Breadth first: a node's fallback is nearer to the root than the node. */
function linkFallbacks<Owner>(root: Node<Owner>): void {
  const queue = [root]
  for (const node of queue) {
    for (const [code, child] of node.next) {
      let from = node.failureLink
      while (from !== null && !from.next.has(code)) from = from.failureLink
      child.failureLink = from?.next.get(code) ?? root
      child.outputLink = child.owners.length > 0 ? child : child.failureLink.outputLink
      queue.push(child)
    }
  }
}
