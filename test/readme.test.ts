/** The README against the code: what it lists must be all there is. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { REFUSALS } from '../src/errors.ts';
import { PROOFS, ROOT_PROOFS } from './prove/proofs.ts';
import { CLI } from './support/server.ts';

const ROOT = resolve(import.meta.dirname, '..');
const README = readFileSync(resolve(ROOT, 'README.md'), 'utf8');

function section(title: string): string {
  return README.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
}

test('its table of errors is the catalogue of refusals', () => {
  const listed = [...section('Errors').matchAll(/^\| (\d{3}) \| `([^`]+)` \|/gm)].map(
    ([, status, message]) => `${status} ${message}`,
  );
  const catalogue = new Set(Object.values(REFUSALS).map(({ status, message }) => `${status} ${message}`));
  expect(listed.toSorted()).toEqual([...catalogue].toSorted());
});

test('its table of options is what --help tells', () => {
  const help = execFileSync(process.execPath, [CLI, 'serve', '--help'], { encoding: 'utf8' });
  const told = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const listed = [...section('Options').matchAll(/^\| `(--[a-z-]+)` \| `(SWITCHYARD_[A-Z_]+)/gm)];
  expect(listed.map(([, flag]) => flag)).toEqual(told);
  for (const [, flag, environment] of listed) {
    expect(environment).toBe(`SWITCHYARD_${(flag as string).slice(2).toUpperCase().replaceAll('-', '_')}`);
    expect(help).toContain(environment as string);
  }
});

test('each promise links what proves it, and each proof is linked', () => {
  const bullets = section('Promises')
    .split(/\n(?=- )/)
    .slice(1);
  expect(bullets.length).toBeGreaterThan(20);
  const linked = new Set<string>();
  for (const bullet of bullets) {
    const files = [...bullet.matchAll(/\]\((test\/[^)]+)\)/g)].map(([, file]) => file as string);
    expect(files, bullet).not.toEqual([]);
    for (const file of files) {
      expect(existsSync(resolve(ROOT, file)), file).toBe(true);
      linked.add(file);
    }
  }
  for (const { name } of [...PROOFS, ...ROOT_PROOFS]) expect(linked).toContain(`test/prove/proofs/${name}.ts`);
});
