/** The folder of the newest PostgreSQL's programs; null where none is installed. */
export declare function postgresBinaries(): string | null
/** The user who runs PostgreSQL if root runs the tests; null if it is the present one. */
export declare function unprivilegedUser(): Promise<{ uid: number; gid: number } | null>
/** Where a program is; null where it is not installed. */
export declare function findProgram(name: string): string | null
