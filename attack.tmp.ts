import { stallOf, threadMs } from './test/prove/stall/hunt.ts';
import { define, request, response, route } from './test/support/mocks.ts';
import { templateProblem } from './src/languages/templates/template-checks.ts';
const MB = 1_000_000;
const j = (s: string) => s;
const rep = (u: string, n: number) => u.repeat(Math.floor(n / u.length));
const BODIES: Record<string, string> = {
  as: rep('a', 10 * MB),
  as1: rep('a', MB),
  uni: rep('ü', MB),
  spaces: rep('a ', MB),
  dots: rep('0.', MB),
  plus: rep('+', MB),
  pct: rep('%41', MB),
  ones: `[${rep('1,', MB)}1]`,
  strs: `[${rep('"ab",', MB)}1]`,
  objs: `[${rep('{"a":1},', MB)}1]`,
  objs10k: `[${Array.from({ length: 9_900 }, (_, i) => `{"a":"${i}","k${i}":1}`).join()}]`,
  nums400: `[${Array.from({ length: 2_400 }, (_, i) => `"${'9'.repeat(300)}${i}"`).join()}]`,
  longstrs: `[${Array.from({ length: 1000 }, (_, i) => `"${'a'.repeat(990)}${i}"`).join()}]`,
  names: `{${Array.from({ length: 60_000 }, (_, i) => `"key${i}":1`).join()}}`,
  names9k: `{${Array.from({ length: 9_000 }, (_, i) => `"key${i}":1`).join()}}`,
  deep: '['.repeat(45_000) + ']'.repeat(45_000),
  deepones: '['.repeat(900) + rep('1,', MB) + '1' + ']'.repeat(900),
  twopart: JSON.stringify({ a: 'a'.repeat(500_000), b: 'b' + 'a'.repeat(100_000), p: rep('0.', 90_000), list: Array.from({ length: 9_000 }, (_, i) => i), tz: 'Europe/Berlin', d: '2020-01-01T00:00:00Z' }),
  small: JSON.stringify({ a: 'a', list: [3, 1, 2], o: { a: 1 } }),
};
const HELPERS: string[] = process.argv[2] === '-e' ? process.argv.slice(3) : [
  '{{body}}', '{{request.body}}', "{{body (request.body)}}", '{{method}}',
  '{{pathSegment 0}}', '{{request.path.[0]}}', '{{first request.pathSegments}}', '{{url}}', '{{baseUrl}}', '{{host}}',
  '{{eq request.body (concat request.body)}}', "{{eq (body 'a') (body 'b')}}", '{{gt request.body request.body}}', "{{contains request.body (body 'b')}}", "{{contains (body 'a') (body 'b')}}", "{{contains (body) 'aaaaab'}}", "{{contains (parseJson request.body) 'x'}}", "{{matches request.body 'a.*b.*c'}}", "{{matches request.body 'a[ab]{20}[^ab]'}}", '{{default request.body}}', '{{and request.body}}',
  '{{add request.body 1}}', '{{toNumber request.body}}', '{{parseInt request.body}}', "{{math 1 request.body 2}}", '{{toFixed 1.5 100}}',
  "{{concat (body 'a') 'b'}}", '{{len (concat request.body "b")}}', '{{len (upper request.body)}}', '{{len (lower request.body)}}', '{{len (capitalize request.body)}}', '{{len (trim request.body)}}',
  "{{len (replace request.body 'b' 'x')}}", "{{len (replaceAll request.body 'a' 'b')}}", "{{len (replaceAll request.body 'aaaaab' 'b')}}", "{{len (replaceAll (body 'a') (body 'b') 'c')}}", '{{len (substr request.body 1)}}', '{{len (slice request.body 1 -1)}}', '{{len (slice (parseJson request.body) 1 9000)}}', "{{len (split request.body 'a')}}", "{{len (split request.body 'aaaaab')}}", "{{len (join (parseJson request.body) ''))}}", "{{len (join (parseJson request.body) ',')}}", '{{len (padStart request.body 3000000)}}', "{{indexOf request.body 'aaaaab'}}", "{{indexOf (body 'a') (body 'b')}}", "{{indexOf (parseJson request.body) 'zz'}}", '{{len request.body}}', '{{len (parseJson request.body)}}',
  "{{regexExtract request.body 'zz'}}", "{{regexExtract request.body 'a$'}}", "{{regexExtract request.body '(a|b)*c'}}", "{{regexExtract request.body 'a[ab]{20}[^ab]'}}",
  "{{now format='yyyy-MM-dd'}}", '{{now}}', "{{now timezone='Europe/Berlin' format='zzzz'}}", "{{now timezone='Europe/Berlin' format='z z z z z z z z z z z z z z z z z z'}}", "{{now offset=request.body}}", "{{dateFormat request.body 'yyyy'}}", "{{now format=(concat 'yyyy' 'MMMMddEEEEHHmmssSSSXXX')}}", "{{now timezone=(concat 'Europe/' 'Berlin')}}", "{{now offset='P1M'}}", "{{date '2020-01-01' (now) 'yyyy-MM-dd'}}", "{{dateTimeShift days=1 months=1 years=1 hours=1}}", "{{parseDate '31.01.2020' 'dd.MM.yyyy'}}", "{{parseDate request.body 'dd.MM.yyyy'}}", "{{parseDate '5 March 2020 1:02 pm Europe' (concat 'd MMMM yyyy' ' h:mm a')}}", "{{truncateDate (now) 'first day of month'}}", '{{time}}', '{{isValidDate request.body}}', "{{parseDate '2020-01-01 10' 'yyyy-MM-dd HH' timezone='Europe/Berlin'}}",
  '{{len (json request.body)}}', '{{len (json (parseJson request.body))}}', '{{len (json (parseJson request.body) true)}}', '{{len (formatJson request.body)}}', "{{len (formatJson request.body format='compact')}}", "{{jsonPath request.body '$..a'}}", "{{len (jsonPath request.body '$[*]')}}", "{{jsonPath request.body '$..zz'}}", "{{objectPath request.body 'a.b'}}", "{{objectPath (parseJson request.body) request.body}}", "{{objectPath (body 'o') (body 'p')}}", "{{objectPath 'x' request.body}}", '{{len (parseJson request.body)}}', '{{len (jsonMerge request.body request.body)}}', "{{len (jsonMerge (parseJson request.body) (parseJson request.body))}}", "{{len (jsonRemove request.body request.body)}}", "{{len (jsonRemove (parseJson request.body) 'a')}}", "{{len (jsonRemove request.body (replaceAll request.body '[' '0.'))}}", "{{len (jsonArrayAdd (parseJson request.body) 1)}}", "{{len (jsonSort request.body 'a')}}", '{{len (sort (parseJson request.body))}}', "{{len (sortBy (parseJson request.body) 'a')}}", "{{len (filter (parseJson request.body) 'a' 1)}}", "{{len (filter (parseJson request.body) request.body)}}", '{{len (array 1 2 3)}}', '{{len (object a=1 b=2)}}', '{{len (range 1 1000)}}', '{{first request.body}}', '{{len (last (parseJson request.body) 9000)}}', '{{lookup request.body 0}}', "{{lookup (parseJson request.body) 'key1'}}",
  "{{len (body 'list')}}", "{{join (body 'list')}}", "{{len (sort (body 'list'))}}", "{{len (slice (body 'list') 0)}}", "{{oneOf (body 'list')}}", "{{len (someOf (body 'list') 1 9000)}}",
  '{{len (base64 request.body)}}', '{{len (base64Decode request.body)}}', '{{len (base64url request.body)}}', '{{len (urlEncode request.body)}}', '{{len (urlEncode request.body decode=true)}}', "{{hash request.body 'sha512'}}", "{{hash request.body 'md5'}}", "{{hash 'a' 'sha512'}}", '{{jwtPayload request.body}}', "{{jwtPayload 'a.e30.b' request.body}}", "{{jwtPayload (concat 'a.' request.body)}}",
  '{{uuid}}', '{{randomInt 1 100}}', '{{randomDecimal}}', '{{len (randomValue length=10000)}}', "{{randomValue type='UUID'}}", "{{pickRandom 'a' 'b'}}", '{{oneOf request.body}}', '{{len (someOf request.body 1 9000)}}', '{{len (someOf (parseJson request.body) 1 9000)}}',
  "{{faker 'number.int' max=99}}", "{{len (faker 'string.alpha' 1000)}}", "{{len (faker 'lorem.paragraphs' 1000)}}", "{{len (faker 'lorem.words' 1000)}}", "{{faker 'date.recent' 365}}", "{{faker 'internet.email'}}", "{{faker 'date.betweens' from='2020-01-01' to='2021-01-01' count=1000}}", "{{faker 'string.alphanumeric' request.body}}",
  "{{setVar 'x' (array (var 'x') (var 'x'))}}{{len (json (var 'x'))}}", "{{setVar 'x' (array (var 'x'))}}", "{{setVar 'x' (concat (var 'x') 'aaaaaaaaaaaa')}}", "{{var request.body}}", "{{variable request.body}}",
  '{{#each request.body}}{{/each}}', '{{#each (parseJson request.body)}}{{this}}{{/each}}', '{{#with request.body}}{{this}}{{/with}}', "{{#assign 'v'}}{{request.body}}{{/assign}}", '{{#switch request.body}}{{#case request.body}}x{{/case}}{{/switch}}',
];
const WRAPS: [string, (h: string) => string][] = [
  ['1', (h) => h],
  ['3', (h) => h.repeat(3)],
  ['40000', (h) => `{{#repeat 1000}}{{#repeat 40}}${h}{{/repeat}}{{/repeat}}`],
];
const rows: { ms: number; text: string }[] = [];
let tried = 0;
for (const helper of HELPERS) {
  const bad = templateProblem(helper, 'text');
  if (bad !== undefined) { console.log('REFUSED', helper, bad); continue; }
  for (const [wrap, make] of WRAPS) {
    for (const mode of [true, 'json'] as const) {
      if (mode === 'json' && process.env.JSONMODE === undefined) continue;
      const text = mode === 'json' ? `"${make(helper)}"` : make(helper);
      for (const [name, body] of Object.entries(BODIES)) {
        const definition = define([route('POST /p/*', [response({ templated: mode, body: text })])]);
        const path = name === 'small' ? `/p/${'/'.repeat(14_000)}` : '/p/x';
        const req = request('POST', path, { headers: { 'content-type': 'application/json' }, body });
        tried++;
        let ms = 0; let note = '';
        try { const s = stallOf(1, { words: '', definition, request: req }); ms = s.cpuMs; } catch (error) { ms = 9e9; note = String((error as Error).message).slice(0, 80); }
        rows.push({ ms, text: `${ms > 1e9 ? 'THROWS' : ms.toFixed(0)}\t${name}\t×${wrap}\t${helper}\t${note}` });
        if (ms > 200) console.log(rows.at(-1)!.text);
      }
    }
  }
}
if (process.argv[2] !== '-e') console.log(tried);
for (const { text } of rows.sort((a, b) => b.ms - a.ms).slice(0, 2)) console.log(text);
