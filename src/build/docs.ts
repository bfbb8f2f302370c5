/** `npm run docs`: writes the generated parts of the documents (docs-tables.ts), with a server of the build that it starts for them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFacts, withGeneratedParts } from './docs-tables.ts';

const DOCS = new URL('../../docs/', import.meta.url);

const { startSwitchyard } = (await import(new URL('../../dist/client.js', import.meta.url).href)) as {
  startSwitchyard: () => Promise<{ readonly apiUrl: string; readonly stop: () => Promise<void> }>;
};
const { apiUrl, stop } = await startSwitchyard();
const facts = await readFacts(new URL(apiUrl).origin).finally(stop);
for (const name of readdirSync(DOCS).filter((each) => each.endsWith('.md'))) {
  const file = new URL(name, DOCS);
  const before = readFileSync(file, 'utf8');
  const after = await withGeneratedParts(before, facts);
  if (after === before) continue;
  writeFileSync(file, after);
  console.log(`docs/${name}`);
}
