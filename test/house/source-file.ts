import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A source file. */
export interface SourceFile {
  /** Path from the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
  /** Parsed when it is asked for: that takes most of the time. */
  readonly syntax: ts.SourceFile
}

/** Reads all TypeScript and JavaScript files of these folders, without packages and generated code. */
export function readSourceFiles(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap(filesBelow)
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes('/generated/'))
    .sort()
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      let syntax: ts.SourceFile | undefined
      return {
        path,
        text,
        get syntax() {
          syntax ??= ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
          return syntax
        },
      }
    })
}

/** Paths of the files of a folder. It does not enter packages: they are many, and an install beside the test may change them. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesBelow(path)
  })
}

/** Calls `visit` for every node, parents first. */
export function walk({ syntax }: SourceFile, visit: (node: ts.Node) => void): void {
  const step = (node: ts.Node): void => {
    visit(node)
    ts.forEachChild(node, step)
  }
  step(syntax)
}

/** Returns the line of a node, from 1, without its comments. */
export function lineOf({ syntax }: SourceFile, node: ts.Node): number {
  return syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1
}

/** Returns the number of lines of a node. */
export function linesOf(file: SourceFile, node: ts.Node): number {
  return file.syntax.getLineAndCharacterOfPosition(node.end).line + 2 - lineOf(file, node)
}

/** Whether only tests use the file. */
export function isTest({ path }: SourceFile): boolean {
  return !path.startsWith('src/') || path.endsWith('.test.ts') || path.includes('/testing/')
}
