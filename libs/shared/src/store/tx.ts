/** A transaction in progress, passed explicitly: parametrised SQL only. */
export interface Tx {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}
