/** Bodies that are made to take long: each shape with as many bytes as are asked for, or a few less. */

/** Nothing, JSON, and both kinds of forms. */
export const CONTENT_TYPES = {
  json: 'application/json',
  pairs: 'application/x-www-form-urlencoded',
  parts: 'multipart/form-data; boundary=b',
} as const;

/** What a body of a shape is declared as by who means it. */
export function typeOf(shape: string): string {
  if (shape.includes('parts')) return CONTENT_TYPES.parts;
  if (shape.includes('XML')) return 'application/xml';
  return /pairs|pluses|escapes/.test(shape) ? CONTENT_TYPES.pairs : CONTENT_TYPES.json;
}

/** `start`, then `unit` as often as there is room, then `end`. */
function repeated(start: string, unit: string, end: string): (bytes: number) => Buffer {
  return (bytes) => {
    const room = Math.max(0, bytes - Buffer.byteLength(start + end));
    return Buffer.from(start + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end);
  };
}

/** The same with units of a fixed length that differ. */
function numbered(start: string, unit: (number: string) => string, end: string): (bytes: number) => Buffer {
  return (bytes) => {
    const chars = unit('00000').length;
    const count = Math.floor(Math.max(0, bytes - start.length - end.length) / chars);
    const units = Array.from({ length: count }, (_, index) => unit(index.toString(36).padStart(5, 'k')));
    return Buffer.from(start + units.join('') + end);
  };
}

/** Members of a few names, in all orders. */
function permuted(bytes: number): Buffer {
  const objects: string[] = [];
  for (let index = 0, chars = 2; chars < bytes - 60; index++) {
    const names = Array.from('abcdefgh').map((name, at) => [(index * 2_654_435_761 * (at + 3)) >>> 0, name] as const);
    const members = names.toSorted(([one], [other]) => one - other).map(([, name]) => `"${name}":1`);
    const text = `{${members.slice(0, 5).join()}},`;
    objects.push(text);
    chars += text.length;
  }
  return Buffer.from(`[${objects.join('')}0]`);
}

/** Names of one length, 30 in each object. */
function objectsOfObjects(bytes: number): Buffer {
  const inner = JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [String(at + 10), {}])));
  return numbered('{', (number) => `"${number}":${inner},`, '"a":{}}')(bytes);
}

/** A time zone each, all the same but for upper and lower case. */
function spellings(bytes: number): Buffer {
  const zone = 'america/argentina/buenos_aires';
  const spelt = (bits: number): string =>
    Array.from(zone, (letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('');
  const count = Math.max(1, Math.floor((bytes - 2) / (zone.length + 3)));
  return Buffer.from(JSON.stringify(Array.from({ length: count }, (_, bits) => spelt(bits))));
}

const DEEP = 40;

export const BODIES = {
  'objects in a': repeated('{"a":[', '{},', '0]}'),
  objects: repeated('[', '{},', '0]'),
  arrays: repeated('[', '[],', '0]'),
  zeros: repeated('[', '0,', '0]'),
  floats: repeated('[', '1.5e300,', '0]'),
  'long numbers': repeated('{"a":1e20,"list":[', '12345678901234567,', '0]}'),
  'members alike': repeated('[', '{"a":1},', '0]'),
  'nested members': repeated('[', '{"a":{"a":[1]}},', '0]'),
  'quotes in a': repeated('{"a":["', '\\"', '"]}'),
  'quotes behind a number': repeated('{"a":1e20,"b":"', '\\"', '"}'),
  'control characters in a': repeated('{"a":["', '\\u0001', '"]}'),
  'text in a': repeated('{"a":"', 'a', '"}'),
  texts: repeated('["', 'abab","', '"]'),
  'texts in a': repeated('{"a":["', 'abab","', '"]}'),
  'names in a': numbered('{"a":{', (number) => `"${number}":0,`, '"a":1}}'),
  'short members': numbered('{', (number) => `"${number}":{},`, '"a":1}'),
  'objects of objects': objectsOfObjects,
  'long digits': repeated('["', `${'7'.repeat(390)}","`, '"]'),
  'spellings of a time zone': spellings,
  times: repeated('["', '2020-02-12T12:22:33.123456789+02:00","', '"]'),
  names: numbered('{', (number) => `"${number}":0,`, '"a":1}'),
  'an object each': numbered('[', (number) => `{"${number}":0},`, '0]'),
  'texts that differ': numbered('[', (number) => `"${number}",`, '0]'),
  'orders of names': permuted,
  'deep arrays': repeated('[', `${'['.repeat(900)}${']'.repeat(900)},`, '0]'),
  'deep objects': repeated('{"a":[', `${'{"a":'.repeat(DEEP)}0${'}'.repeat(DEEP)},`, '0]}'),
  brackets: repeated('', '[', ''),
  letters: repeated('', 'a', ''),
  'letters by chance': numbered(
    '',
    (number) => (Number.parseInt(number.slice(-4), 36) % 7 < 3 ? 'aabab' : 'babba'),
    '',
  ),
  'wide letters': repeated('', '漢', ''),
  'no UTF-8': (bytes) => Buffer.alloc(bytes, Buffer.from([0xe2, 0x82])),
  pairs: repeated('', 'a=1&', ''),
  'names of pairs': numbered('', (number) => `${number}=1&`, ''),
  'malformed pairs': repeated('', 'a=%ff&', ''),
  'lists of pairs': repeated('', 'a[]=1&', ''),
  'nested pairs': numbered('', (number) => `a[${number}][b][c][d]=1&`, ''),
  'attributes of XML': repeated('<a', ' b=""', '/>'),
  'attributes of XML that differ': numbered('<a', (number) => ` b${number}=""`, '/>'),
  'elements of XML': repeated('<a>', '<b/>', '</a>'),
  'elements of XML that differ': numbered('<a>', (number) => `<b${number}/>`, '</a>'),
  'entities of XML': repeated('<a>', '&lt;', '</a>'),
  pluses: repeated('a=', '+', ''),
  escapes: repeated('a=', '%e2%82%ac', ''),
  'pairs of JSON': repeated('', 'a={"a":[{},{}]}&', ''),
  parts: repeated('--b', '\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b', '--\r\n'),
  'heads of parts': repeated('--b', `\r\nContent-Disposition: ${'; '.repeat(2_000)}\r\n\r\n1\r\n--b`, '--\r\n'),
} satisfies Readonly<Record<string, (bytes: number) => Buffer>>;

/** Made last: most changes leave the body as it is. */
const bodies = new Map<string, Buffer>();
const BODIES_KEPT = 30;

export function bodyOf(shape: keyof typeof BODIES, bytes: number): Buffer {
  const key = `${shape} ${bytes}`;
  const made = bodies.get(key) ?? BODIES[shape](bytes);
  if (bodies.size >= BODIES_KEPT) bodies.clear();
  bodies.set(key, made);
  return made;
}
