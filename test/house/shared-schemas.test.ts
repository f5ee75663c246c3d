import { dirname, relative, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { isTest, readSourceFiles, type SourceFile, walk } from './source-file.js'

const folder = 'src/graph/view/schema/'

/** Exports that stay although neither graph nor two features use them, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'error.ts#ErrorRes': 'the framework in src/api replies with it for all features',
}

/** The rooms and features that use each export of the folder, by `file#name`. A test is no user. */
function usersOfExports(): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>()
  const files = readSourceFiles(['src']).filter((file) => !isTest(file))
  for (const file of files.filter(({ path }) => path.startsWith(folder))) {
    for (const name of exportsOf(file)) {
      users.set(`${file.path}#${name}`, new Set(isUsedWithin(file, name) ? ['graph'] : []))
    }
  }
  for (const file of files) {
    for (const name of importsOf(file)) users.get(name)?.add(roomOf(file))
  }
  return users
}

/** The room of a file in `src`, or its feature. */
function roomOf({ path }: SourceFile): string {
  const [, room = '', feature = ''] = path.split('/')
  return room === 'features' ? feature : room
}

function exportsOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/^export (?:const|function|interface|type) (\w+)/gm)].map(([, name = '']) => name)
}

/** The imports of a file, as `file#name`. */
function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(
    ([, names = '', specifier = '']) => {
      const target = relative('.', resolve(dirname(path), specifier)).replace(/\.js$/, '.ts')
      return [...names.matchAll(/(?:type )?(\w+)/g)].map(([, name = '']) => `${target}#${name}`)
    },
  )
}

/** Whether another declaration of the file uses the export. Its own, and the type of the same name, do not count. */
function isUsedWithin(file: SourceFile, name: string): boolean {
  let used = false
  walk(file, (node) => {
    used ||= ts.isIdentifier(node) && node.text === name && !isOwn(node)
  })
  return used
}

/** Whether an identifier stands in the declaration of its own name, or names a member. */
function isOwn(identifier: ts.Identifier): boolean {
  if (ts.isPropertyAssignment(identifier.parent) && identifier.parent.name === identifier) return true
  for (let node: ts.Node = identifier; node.parent; node = node.parent) {
    if (ts.isVariableDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isFunctionDeclaration(node)) {
      if (node.name?.getText() === identifier.text) return true
    }
  }
  return false
}

it('graph or two features use an export of graph/view/schema: others stand in `schema/` of their feature', () => {
  const users = usersOfExports()
  expect(users.size).toBeGreaterThan(50)
  const misplaced = [...users].filter(([, rooms]) => !rooms.has('graph') && rooms.size < 2)
  expect(misplaced.map(([name]) => name.slice(folder.length))).toEqual(Object.keys(exceptions))
})
