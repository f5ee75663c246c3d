/** What the published client throws when the server answers with an error: its status, code and property. */
export async function refusalOf(call: Promise<unknown>): Promise<[number, string, string | undefined]> {
  const failure = await call.then(
    () => new Error('the call was not refused'),
    (error: unknown) => error,
  )
  const { response } = failure as { response?: { status: number; data: { code: string; property?: string } } }
  if (!response) throw failure
  return [response.status, response.data.code, response.data.property]
}
