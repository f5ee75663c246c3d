import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { bannedWordsIn } from './banned-words.js'
import { documentFiles } from './document-files.js'
import { isTest, lineOf, linesOf, readSourceFiles, type SourceFile, walk } from './source-file.js'
import { isExcepted, unusedExceptions } from './style-exceptions.js'

const LONG_FILE_LINES = 300
const MAX_FILE_LINES = 500
const MAX_FUNCTION_LINES = 70

const files = readSourceFiles(['src', 'test', 'scripts', 'deploy', 'bench'])
const servedFiles = files.filter((file) => !isTest(file))

/** Entry points, which pass the clock and randomness on. */
const entryPointPattern = /^src\/(app|cli)\/|^src\/cli\.ts$/

const bannedCalls: Readonly<Record<string, RegExp>> = {
  'process.env': /^$/,
  'Date.now': entryPointPattern,
  'new Date()': entryPointPattern,
  'setInterval()': /^$/,
  'Math.random': entryPointPattern,
  // Wrong for some URLs: `parseUrl`.
  'URL.canParse': /^$/,
}

/** Names without a meaning. */
const vagueWordPattern = /^(util|utils|helper|helpers|manager|managers|misc)$/

/** A limit whose name does not begin with what it is, or says it in another word: `URL_LENGTH_MAX`, `LONGEST_DELAY_MS`. */
const misnamedLimitPattern = /_(MAX|MIN)(_|$)|^(LEAST|FEWEST|SMALLEST|SHORTEST|MOST|LARGEST|LONGEST)_/

/** A docstring that begins with a relative clause used as a noun ("What deliveries are sent with."), or lacks one: "Of HTTP." */
const nounlessPattern =
  /^\/\*\*[\s*]*(What|Who|Whose|Whom|Which|(As|By|To|With) (what|which|whom)|Of|Its|Those|Until|Since|So many)\b/

/** Banned words that SQL and local names use easily, where the check of exported names does not look. */
const bannedAliasPattern = /\b(touched|wanted)\b/

/** Comments about unfinished work or disabled type checks. */
const unfinishedPattern = /@ts-(ignore|nocheck)|\b(TODO|FIXME|XXX)\b/

it('no file has more than 500 lines', () => {
  const lengths = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  const long = lengths.filter(({ lines }) => lines > LONG_FILE_LINES)
  if (long.length > 0) {
    process.stderr.write(`files of more than ${LONG_FILE_LINES} lines, which usually contain two ideas:\n`)
    for (const { path, lines } of long) process.stderr.write(`  ${path}: ${lines}\n`)
  }
  const tooLong = long.filter(({ path, lines }) => lines > MAX_FILE_LINES && !isExcepted('long', path))
  expect(tooLong).toEqual([])
})

it('no function has more than 70 lines', () => {
  const tooLong = files.flatMap((file) =>
    functionsOf(file)
      .filter((node) => linesOf(file, node) > MAX_FUNCTION_LINES && !isTestGroup(node))
      .filter((node) => !isExcepted('long', `${file.path} ${nameOf(node)}`))
      .map((node) => `${locationOf(file, node)}: ${nameOf(node)} has ${linesOf(file, node)} lines`),
  )
  expect(tooLong).toEqual([])
})

it('no name is vague', () => {
  const empty = files.flatMap((file) => {
    const path = wordsOf(file.path).some((word) => vagueWordPattern.test(word)) ? [file.path] : []
    const names: string[] = []
    walk(file, (node) => {
      const name = declaredName(node)
      if (name && wordsOf(name).some((word) => vagueWordPattern.test(word)))
        names.push(`${locationOf(file, node)}: ${name}`)
    })
    return [...path, ...names]
  })
  expect(empty).toEqual([])
})

it('names of limits begin with MAX_ or MIN_, and end with the unit', () => {
  const violations = files.flatMap((file) => {
    const found: string[] = []
    walk(file, (node) => {
      const isConstant = ts.isVariableDeclaration(node) && misnamedLimitPattern.test(node.name.getText())
      if (isConstant) found.push(`${locationOf(file, node)}: ${node.name.getText()}`)
    })
    return found
  })
  expect(violations).toEqual([])
})

it('clock, randomness, timers and environment are passed in, and URLs parsed in one place', () => {
  const violations = servedFiles.flatMap((file) => {
    const found: string[] = []
    walk(file, (node) => {
      const call = calledName(node)
      const allowed = call === undefined ? undefined : bannedCalls[call]
      if (!allowed || allowed.test(file.path) || isExcepted('calls', `${file.path} ${call}`)) return
      found.push(`${locationOf(file, node)}: ${call}`)
    })
    return found
  })
  expect(violations).toEqual([])
})

it('only the command line writes to the console', () => {
  const violations = servedFiles.flatMap((file) => {
    const found: string[] = []
    walk(file, (node) => {
      const isCall = ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)
      if (isCall && (node.expression as ts.Identifier).text === 'console') found.push(locationOf(file, node))
    })
    return found
  })
  expect(violations).toEqual([])
})

it('no `any`, no disabled type checks, no unfinished work', () => {
  const violations = files.flatMap((file) => {
    const found = commentsOf(file).flatMap(({ text, line }) => {
      const [word] = unfinishedPattern.exec(text) ?? []
      return word === undefined ? [] : [`${file.path}:${line}: ${word}`]
    })
    walk(file, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword && !isExempt(file, node))
        found.push(`${locationOf(file, node)}: any`)
    })
    return found
  })
  expect(violations).toEqual([])
})

it('every export has a docstring', () => {
  const undocumented = servedFiles.flatMap((file) => {
    const documented = new Set<string>()
    const found = file.syntax.statements.flatMap((statement) => {
      const name = exportedName(statement)
      if (name === undefined || ts.getJSDocCommentsAndTags(statement).length > 0) {
        if (name !== undefined) documented.add(name)
        return []
      }
      if (documented.has(name) || isSelfExplanatory(file, statement)) return []
      if (isExcepted('undocumented', `${file.path} ${name}`)) return []
      return [`${locationOf(file, statement)}: ${name}`]
    })
    return found
  })
  expect(undocumented).toEqual([])
})

it('a docstring begins with a noun or a verb', () => {
  const violations = servedFiles
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) =>
      docstringsOf(text)
        .filter((docstring) => nounlessPattern.test(docstring))
        .map((docstring) => docstring.split('\n').slice(0, 2).join(' '))
        .filter((docstring) => !isExcepted('docstrings', `${path} ${docstring}`))
        .map((docstring) => `${path}: ${docstring}`),
    )
  expect(violations).toEqual([])
})

it('exported names use the words of the field', () => {
  const violations = servedFiles.flatMap((file) =>
    file.syntax.statements.flatMap((statement) =>
      exportedNames(statement).flatMap((name) =>
        bannedWordsIn(wordsOf(name).join(' '), 'names')
          .filter(({ word }) => !isExcepted('words', `${file.path} ${word}`))
          .map(({ word, use }) => `${locationOf(file, statement)}: ${name} says "${word}"; use ${use}`),
      ),
    ),
  )
  expect(violations).toEqual([])
})

it('SQL and local names use the words of the field', () => {
  const violations = files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const [word] = bannedAliasPattern.exec(line) ?? []
        return word === undefined || isExcepted('words', `${path} ${word}`)
          ? []
          : [`${path}:${index + 1}: ${word}`]
      }),
    )
  expect(violations).toEqual([])
})

it('documents use the words of the field', () => {
  const violations = documentFiles.flatMap((path) =>
    bannedWordsIn(proseOf(readFileSync(path, 'utf8')), 'documents')
      .filter(({ word }) => !isExcepted('words', `${path} ${word}`))
      .map(({ word, use }) => `${path}: "${word}"; use ${use}`),
  )
  expect(violations).toEqual([])
})

it('every exception is used', () => {
  expect(unusedExceptions()).toEqual([])
})

function locationOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${lineOf(file, node)}`
}

function functionsOf(file: SourceFile): ts.FunctionLikeDeclaration[] {
  const found: ts.FunctionLikeDeclaration[] = []
  walk(file, (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.push(node)
  })
  return found
}

/** A `describe` is a chapter, not a function. */
function isTestGroup({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && /^describe\b/.test(parent.expression.getText())
}

function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (node.name) return node.name.getText()
  if (ts.isVariableDeclaration(node.parent)) return node.parent.name.getText()
  if (ts.isCallExpression(node.parent)) return node.parent.arguments[0]?.getText() ?? ''
  return ''
}

/** Returns the declared name of a declaration. */
function declaredName(node: ts.Node): string | undefined {
  const isDeclaration =
    ts.isFunctionLike(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node)
  return isDeclaration && node.name ? node.name.getText() : undefined
}

/** Splits `readUserByName` or `user-search.ts` into lowercase words. */
function wordsOf(name: string): string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')
}

/** Returns a call as `bannedCalls` names it: `Date.now`, `new Date()`. */
function calledName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return `${node.expression.text}.${node.name.text}`
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return `${node.expression.text}()`
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && !node.arguments?.length) {
    return `new ${node.expression.text}()`
  }
  return undefined
}

/** Whether the line above has the linter's exemption with a reason. */
function isExempt({ syntax, text }: SourceFile, node: ts.Node): boolean {
  const start = syntax.getPositionOfLineAndCharacter(lineNumberAbove(syntax, node), 0)
  return text.slice(start, node.getStart()).includes('biome-ignore lint/suspicious/noExplicitAny: ')
}

function lineNumberAbove(syntax: ts.SourceFile, node: ts.Node): number {
  return Math.max(0, syntax.getLineAndCharacterOfPosition(node.getStart()).line - 1)
}

/** Returns comments with their line numbers. */
function commentsOf({ syntax, text }: SourceFile): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = []
  // Most files need no parsing of comments, which takes a hundred times as long.
  if (!unfinishedPattern.test(text)) return found
  const visited = new Set<number>()
  const step = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (visited.has(pos)) continue
      visited.add(pos)
      found.push({ text: text.slice(pos, end), line: syntax.getLineAndCharacterOfPosition(pos).line + 1 })
    }
    node.getChildren(syntax).forEach(step)
  }
  step(syntax)
  return found
}

function docstringsOf(text: string): string[] {
  return text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
}

/** Returns all names that a statement exports. */
function exportedNames(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText())
  return 'name' in statement && statement.name ? [(statement.name as ts.Node).getText()] : []
}

/** Returns the text of a Markdown document in lowercase, without code blocks and code spans. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/^```.*?^```$/gms, '')
    .replace(/^ {4,}.*$/gm, '')
    .replace(/`[^`]*`/g, '')
    .toLowerCase()
}

/** Returns the name of an exported function, class, interface or type. */
function exportedName(statement: ts.Statement): string | undefined {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return undefined
  if (ts.isVariableStatement(statement)) {
    const [declaration] = statement.declarationList.declarations
    const isFunction = declaration?.initializer && ts.isFunctionLike(declaration.initializer)
    return isFunction ? declaration.name.getText() : undefined
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed ? statement.name?.text : undefined
}

/** Whether an export needs no docstring: the type of a schema above it, or the options of another export. */
function isSelfExplanatory({ syntax }: SourceFile, statement: ts.Statement): boolean {
  if (ts.isTypeAliasDeclaration(statement)) {
    return /^(Static<typeof \w+>|keyof typeof \w+|\(typeof \w+\)\[(number|keyof typeof \w+)\])$/.test(
      statement.type.getText(),
    )
  }
  if (!ts.isInterfaceDeclaration(statement) || !/(Options|Query|Deps)$/.test(statement.name.text))
    return false
  return syntax.statements.some(
    (other) => other !== statement && new RegExp(`\\b${statement.name.text}\\b`).test(other.getText()),
  )
}
