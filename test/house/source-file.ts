import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A file of ours, read by the compiler. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
  readonly syntax: ts.SourceFile
}

/** Every TypeScript and JavaScript file in these folders, installed packages aside. */
export function readSourceFiles(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes('node_modules'))
    .sort()
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      return { path, text, syntax: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
    })
}

/** Calls `visit` for every node of the file, from the outermost inward. */
export function walk({ syntax }: SourceFile, visit: (node: ts.Node) => void): void {
  const step = (node: ts.Node): void => {
    visit(node)
    ts.forEachChild(node, step)
  }
  step(syntax)
}

/** Number of the line that a node begins on, from 1; its comments are not part of it. */
export function lineOf({ syntax }: SourceFile, node: ts.Node): number {
  return syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1
}

/** How many lines a node fills. */
export function linesOf(file: SourceFile, node: ts.Node): number {
  return file.syntax.getLineAndCharacterOfPosition(node.end).line + 2 - lineOf(file, node)
}

/** Code that only tests run. */
export function isTest({ path }: SourceFile): boolean {
  return !path.startsWith('src/') || path.endsWith('.test.ts') || path.includes('/testing/')
}
