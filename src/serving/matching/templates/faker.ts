/**
 * Random example values for templates, by @faker-js/faker.
 *
 * Loading its English data takes a tenth of a second and some megabytes: only a thread that serves a template with
 * `faker` loads it. One instance serves all templates of a thread, and takes its draws from the one that is rendered:
 * a seed costs it nothing.
 */
import { createRequire } from 'node:module';
import type { Faker } from '@faker-js/faker';
import type { Random } from '../../../base/seeded-draw.ts';

type FakerModule = Readonly<Record<string, unknown>>;

let loaded: FakerModule | undefined;
/** Of the template that is rendered. */
let current: Random = Math.random;

/**
 * @param name Module and function, "person.firstName": template-syntax.ts knows the modules.
 * @returns A function that makes such a value as text; undefined when the name is unknown. Never throws.
 */
export function fakerFunction(name: string): ((random: Random) => string) | undefined {
  const [moduleName = '', functionName = ''] = name.split('.');
  loaded ??= loadFaker();
  if (!Object.hasOwn(loaded, moduleName)) return undefined;
  const module = loaded[moduleName] as FakerModule;
  if (!Object.hasOwn(module, functionName) || typeof module[functionName] !== 'function') return undefined;
  const make = module[functionName] as () => unknown;
  return (random) => {
    current = random;
    try {
      return print(make());
    } catch {
      // Some functions throw without arguments.
      return '';
    }
  };
}

/** The package's own entry would load all languages for its class. */
function loadFaker(): FakerModule {
  const { faker } = createRequire(import.meta.url)('@faker-js/faker/locale/en') as { faker: Faker };
  const Class = faker.constructor as typeof Faker;
  const randomizer = { next: () => current(), seed: () => undefined };
  return new Class({ locale: faker.rawDefinitions, randomizer }) as unknown as FakerModule;
}

function print(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? '');
}
