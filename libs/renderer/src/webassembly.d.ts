/** What is used of WebAssembly: TypeScript declares it among a browser's things, the rest of which Node does not have. */
declare namespace WebAssembly {
  class Module {
    private readonly brand
    static imports(module: Module): { readonly module: string; readonly name: string }[]
  }

  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: object
  }

  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }

  class Global {
    value: unknown
  }

  /** Numbers of 64 bits come as bigint. */
  type Import = (...args: never[]) => number
  type Imports = Record<string, Record<string, Import>>

  function compile(bytes: Uint8Array): Promise<Module>
}
