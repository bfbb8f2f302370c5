/** The functions of faker that templates may call, by module and name. */

/** Not `helpers`: some of those evaluate text. */
const MODULES: ReadonlySet<string> = new Set([
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

/** Names that older versions had, which mocks of other tools are full of. */
const OLD_MODULES: Readonly<Record<string, string>> = { address: 'location', name: 'person' };
const OLD_NAMES: Readonly<Record<string, string>> = {
  'datatype.number': 'number.int',
  'datatype.float': 'number.float',
  'datatype.uuid': 'string.uuid',
  'datatype.hexadecimal': 'string.hexadecimal',
  'datatype.datetime': 'date.anytime',
  'internet.userName': 'internet.username',
  'internet.color': 'color.rgb',
  'location.zipcode': 'location.zipCode',
  'location.streetName': 'location.street',
  'location.cityName': 'location.city',
  'location.stateAbbr': 'location.state',
  'person.findName': 'person.fullName',
  'person.title': 'person.jobTitle',
  'company.companyName': 'company.name',
  'phone.phoneNumber': 'phone.number',
  'random.word': 'word.sample',
  'random.words': 'word.words',
  'random.alphaNumeric': 'string.alphanumeric',
  'random.numeric': 'string.numeric',
  'commerce.color': 'color.human',
  'image.imageUrl': 'image.url',
  'image.avatar': 'image.avatar',
};

/** @returns Module and function as faker has them; undefined for a module that there is not. Whether the function exists is not known here. */
export function fakerName(name: string): string | undefined {
  const [module = '', method, ...more] = name.split('.');
  if (method === undefined || method === '' || more.length > 0) return undefined;
  const own = Object.hasOwn(OLD_MODULES, module) ? `${OLD_MODULES[module]}.${method}` : name;
  const today = Object.hasOwn(OLD_NAMES, own) ? (OLD_NAMES[own] as string) : own;
  return MODULES.has(today.split('.')[0] as string) ? today : undefined;
}
