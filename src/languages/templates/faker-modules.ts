/** The modules of faker whose functions templates may call. Not `helpers`: some of those evaluate text. */
const FAKER_MODULES: ReadonlySet<string> = new Set([
  'airline',
  'animal',
  'book',
  'color',
  'commerce',
  'company',
  'database',
  'datatype',
  'date',
  'finance',
  'food',
  'git',
  'hacker',
  'image',
  'internet',
  'location',
  'lorem',
  'music',
  'number',
  'person',
  'phone',
  'science',
  'string',
  'system',
  'vehicle',
  'word',
]);

/** "person.firstName": whether the function exists is only known where faker is loaded. */
export function isFakerName(name: string): boolean {
  const [module, method, ...more] = name.split('.');
  return FAKER_MODULES.has(module as string) && method !== undefined && more.length === 0;
}
