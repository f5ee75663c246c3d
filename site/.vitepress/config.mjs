// The site of the documents: the Markdown files of the repository as they are, grouped by task.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { navigation } from './navigation.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Pages that are not written yet are left out; links to missing pages fail the build. */
const isThere = ({ link }) => existsSync(`${root}${link.replace(/^\/$/, '/README')}.md`)

const sidebar = navigation.map(({ text, items }) => ({
  text,
  collapsed: false,
  items: items.filter(isThere),
}))

/** Pages import Vue from folders that do not have it: only this package does. What renders them runs in this package. */
const vueOfThisPackage = {
  name: 'vue-of-this-package',
  enforce: 'pre',
  resolveId(source, _importer, options) {
    if (!/^vue($|\/)/.test(source)) return null
    if (options.ssr) return { id: source, external: true }
    return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true })
  },
}

export default defineConfig({
  title: 'Plaza',
  description: 'An open, self-hosted server that is compatible with the Neynar API for Farcaster',
  srcDir: root,
  srcExclude: ['**/node_modules/**', '{contracts,packages/console,reports,src,test}/**/*.md'],
  // Addresses of examples, which this program makes links of.
  ignoreDeadLinks: 'localhostLinks',
  rewrites: { 'README.md': 'index.md' },
  outDir: `${root}site/dist`,
  cacheDir: `${packages}/.cache/vitepress`,
  vite: { plugins: [vueOfThisPackage] },
  // Documents are Markdown alone: braces and tags in them are text.
  markdown: { html: true, attrs: { disable: true } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: sidebar.map(({ text, items }) => ({ text, link: items[0].link })),
    sidebar,
    docFooter: { prev: 'Before', next: 'Next' },
  },
})
