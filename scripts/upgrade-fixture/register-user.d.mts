type Write = (
  method: string,
  path: string,
  body?: object,
  walletId?: string,
) => Promise<ReturnType<typeof JSON.parse>>

export declare function registerUser(
  write: Write,
  walletId: string,
  fname: string,
): Promise<{ readonly fid: number; readonly custodyKey: string; readonly signer_uuid: string }>
