/** Reads docs/templates.md: the request of its examples, and the settings of their mock. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MockSettings } from '../../src/model/mocks/definition/definition.ts';
import type { MockRequest } from '../../src/serving/matching/request/mock-request.ts';
import { useSigningMaterial } from '../../src/serving/matching/signing/signing-keys.ts';
import { request } from './mocks.ts';

useSigningMaterial({ secret: Buffer.alloc(32, 7).toString('base64url') });

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/templates.md'), 'utf8');

export function documentedSettings(): Partial<MockSettings> {
  return JSON.parse(block('json')) as Partial<MockSettings>;
}

export function documentedRoute(): string {
  return /to the route `([^`]+)`/.exec(chapter('Helpers'))?.[1] ?? '';
}

export function documentedRequest(): MockRequest {
  const [head = '', body = ''] = block('http').split(/\n\n(.*)/s);
  const [line = '', ...fields] = head.split('\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(/: (.*)/s).slice(0, 2)));
  const clientIp = /request of `([^`]+)`/.exec(chapter('Helpers'))?.[1];
  const { signing: setting } = documentedSettings();
  const signer = setting && { mockId: 'users', sessionId: '', setting };
  return { ...request(method, target, { headers, body }), clientIp, signer };
}

/** With its sub-chapters. */
function chapter(title: string): string {
  const level = PAGE.includes(`\n## ${title}\n`) ? '##' : '###';
  return PAGE.split(`\n${level} ${title}\n`)[1]?.split(/\n## /)[0] ?? '';
}

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(chapter('Helpers'))?.[1] ?? '';
}
