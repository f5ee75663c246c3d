/** The lowest port of a cluster whose ports are all free. */
export declare function freeClusterPort(): Promise<number>
