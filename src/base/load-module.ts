/**
 * Loads a module when it is needed, one file after the other.
 *
 * `import` opens all modules of one depth at once: two hundred descriptors. A process with a limit of 128 does not have
 * them, and fails with an error about a package. `require` opens one module after the other, and `import` finds what it
 * has loaded.
 */
import { createRequire } from 'node:module';

/**
 * @param from   `import.meta.url` of the caller.
 * @param path   The built module, relative to `from`. It must not use top-level await.
 * @param loaded Imports the same module, with its type.
 */
export async function loadModule<Module>(from: string, path: string, loaded: () => Promise<Module>): Promise<Module> {
  if (process.features.require_module) createRequire(from)(path);
  return loaded();
}
