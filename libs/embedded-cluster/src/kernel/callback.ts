/**
 * A call that is put off, as plain data: a receiver, the name of one of its methods, and arguments. The engine holds
 * such calls and never functions, because a fork must copy whatever waits, with the receivers as they are in the fork.
 */
export class Callback {
  constructor(
    private readonly receiver: object,
    private readonly method: string,
    private readonly args: readonly unknown[],
  ) {}

  run(): void {
    invoke(this.receiver, this.method, this.args)
  }
}

/** An object with a method of that name that takes those arguments. */
export type Receiver<M extends string, A extends unknown[]> = { [name in M]: (...args: A) => void }

/** Puts a call off; a method that the receiver lacks, or that takes other arguments, does not compile. */
export function callback<M extends string, const A extends unknown[]>(
  receiver: Receiver<M, NoInfer<A>>,
  method: M,
  ...args: A
): Callback {
  return new Callback(receiver, method, args)
}

/** Makes the call now. Types were checked where it was put off. */
export function invoke(receiver: object, method: string, args: readonly unknown[]): void {
  ;(receiver as Receiver<string, unknown[]>)[method]?.(...args)
}
