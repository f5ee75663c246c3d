import { foldText } from './required-literals.js'

/** Finds which of many pieces stand in a text, in one pass over it (Aho and Corasick, 1975). */
export interface LiteralIndex<Owner> {
  /** Calls with the owners of each piece that stands in the text; more than once where it stands more than once. */
  search(text: string, found: (owner: Owner) => void): void
}

interface Node<Owner> {
  readonly next: Map<number, Node<Owner>>
  /** The longest piece's beginning that this one ends with. */
  fallback: Node<Owner> | null
  /** The nearest node, this one or by fallbacks, at which a piece ends. */
  ending: Node<Owner> | null
  readonly owners: Owner[]
}

/** Pairs of characters, thrown together where they share these bits. */
const PAIRS = 1 << 16

function pairOf(first: number, second: number): number {
  return ((first * 251) ^ second) & (PAIRS - 1)
}

/** Makes the index. Pieces are folded already, and of two characters at least. */
export function createLiteralIndex<Owner>(
  entries: Iterable<readonly [piece: string, owner: Owner]>,
): LiteralIndex<Owner> {
  const root = createNode<Owner>()
  const beginnings = new Uint8Array(PAIRS)
  for (const [piece, owner] of entries) {
    nodeOf(root, piece).owners.push(owner)
    beginnings[pairOf(piece.charCodeAt(0), piece.charCodeAt(1))] = 1
  }
  linkFallbacks(root)

  function search(text: string, found: (owner: Owner) => void): void {
    if (root.next.size === 0) return
    const folded = foldText(text)
    let node = root
    for (let at = 0; at < folded.length; at += 1) {
      const code = folded.charCodeAt(at)
      // Most places of a text begin nothing, which two characters tell.
      if (node === root && beginnings[pairOf(code, folded.charCodeAt(at + 1))] === 0) continue
      let next = node.next.get(code)
      while (next === undefined && node.fallback !== null) {
        node = node.fallback
        next = node.next.get(code)
      }
      node = next ?? root
      for (let end = node.ending; end !== null; end = end.fallback?.ending ?? null) {
        for (const owner of end.owners) found(owner)
      }
    }
  }

  return { search }
}

function createNode<Owner>(): Node<Owner> {
  return { next: new Map(), fallback: null, ending: null, owners: [] }
}

function nodeOf<Owner>(root: Node<Owner>, piece: string): Node<Owner> {
  let node = root
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
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
      let from = node.fallback
      while (from !== null && !from.next.has(code)) from = from.fallback
      child.fallback = from?.next.get(code) ?? root
      child.ending = child.owners.length > 0 ? child : child.fallback.ending
      queue.push(child)
    }
  }
}
