/** The functions of faker that templates may call, by module and name. */

/** Not `helpers`: some of those evaluate text, and others call functions. */
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

/** Those of `helpers` that choose among what they are given. */
const CHOOSERS: ReadonlySet<string> = new Set(
  ['arrayElement', 'arrayElements', 'objectEntry', 'objectKey', 'objectValue', 'shuffle', 'weightedArrayElement'].map(
    (name) => `helpers.${name}`,
  ),
);

/** Names that older versions had, which mocks of other tools are full of. */
const OLD_MODULES: Readonly<Record<string, string>> = { address: 'location', name: 'person' };
const OLD_NAMES: Readonly<Record<string, string>> = {
  'commerce.color': 'color.human',
  'company.bs': 'company.buzzPhrase',
  'company.companyName': 'company.name',
  'datatype.bigInt': 'number.bigInt',
  'datatype.datetime': 'date.anytime',
  'datatype.float': 'number.float',
  'datatype.hexadecimal': 'string.hexadecimal',
  'datatype.number': 'number.int',
  'datatype.string': 'string.sample',
  'datatype.uuid': 'string.uuid',
  'finance.account': 'finance.accountNumber',
  'image.image': 'image.url',
  'image.imageUrl': 'image.url',
  'internet.avatar': 'image.avatar',
  'internet.color': 'color.rgb',
  'internet.userName': 'internet.username',
  'location.cityName': 'location.city',
  'location.stateAbbr': 'location.state',
  'location.streetName': 'location.street',
  'location.zipcode': 'location.zipCode',
  'person.findName': 'person.fullName',
  'person.title': 'person.jobTitle',
  'phone.phoneNumber': 'phone.number',
  'random.alpha': 'string.alpha',
  'random.arrayElement': 'helpers.arrayElement',
  'random.arrayElements': 'helpers.arrayElements',
  'random.objectElement': 'helpers.objectValue',
  'random.alphaNumeric': 'string.alphanumeric',
  'random.boolean': 'datatype.boolean',
  'random.float': 'number.float',
  'random.number': 'number.int',
  'random.numeric': 'string.numeric',
  'random.uuid': 'string.uuid',
  'random.word': 'word.sample',
  'random.words': 'word.words',
};

/** @returns Module and function as faker has them; undefined for a module that there is not. Whether the function exists is not known here. */
export function fakerName(name: string): string | undefined {
  const [module = '', method, ...more] = name.split('.');
  if (method === undefined || method === '' || more.length > 0) return undefined;
  const own = Object.hasOwn(OLD_MODULES, module) ? `${OLD_MODULES[module]}.${method}` : name;
  const today = Object.hasOwn(OLD_NAMES, own) ? (OLD_NAMES[own] as string) : own;
  return MODULES.has(today.split('.')[0] as string) || CHOOSERS.has(today) ? today : undefined;
}
