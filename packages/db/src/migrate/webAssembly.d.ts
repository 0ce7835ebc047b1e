// TypeScript knows WebAssembly through the DOM library only, which a server has no use for.
declare namespace WebAssembly {
  type Module = object;
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    module: Module,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ exports: Record<string, unknown> }>;
}
