/** A manifest of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own.
  readonly spec?: any
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}
/** The names of the cases: files of values. */
export declare const cases: readonly string[]
/** Where the rendered manifests of a case are kept. */
export declare function renderedFile(name: string): string
/** A hash of everything that is rendered. */
export declare function sourceHash(): string
/** What can render here. */
export declare function renderer(): 'helm' | 'go' | null
/** Renders all cases. */
export declare function renderCases(): Readonly<Record<string, readonly Manifest[]>>
/** The manifests of a text with many documents, sorted. */
export declare function manifests(text: string): Manifest[]
