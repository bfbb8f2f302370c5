/**
 * Random example values for templates, by @faker-js/faker.
 *
 * Loading its English data takes a tenth of a second and some megabytes: only a thread that serves a template with
 * `faker` loads it.
 */
import { createRequire } from 'node:module';

type FakerModule = Readonly<Record<string, unknown>>;

let loaded: FakerModule | undefined;

/**
 * @param name Module and function, "person.firstName": template-syntax.ts knows the modules.
 * @returns A function that makes such a value as text; undefined when the name is unknown. Never throws.
 */
export function fakerFunction(name: string): (() => string) | undefined {
  const [moduleName = '', functionName = ''] = name.split('.');
  loaded ??= (createRequire(import.meta.url)('@faker-js/faker/locale/en') as { faker: FakerModule }).faker;
  if (!Object.hasOwn(loaded, moduleName)) return undefined;
  const module = loaded[moduleName] as FakerModule;
  if (!Object.hasOwn(module, functionName) || typeof module[functionName] !== 'function') return undefined;
  const make = module[functionName] as () => unknown;
  return () => {
    try {
      return print(make());
    } catch {
      // Some functions throw without arguments.
      return '';
    }
  };
}

function print(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? '');
}
