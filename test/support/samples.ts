/** Valid payloads of every rule type, in both dialects, as clients send them. */
import type { RuleType } from '../../src/model/record-id.ts';

export const SOURCE = { key: 'Url', operator: 'Contains', value: 'example.com' };

export interface Sample {
  readonly ruleType: RuleType;
  readonly dialect: 'spec' | 'client';
  readonly pair: Readonly<Record<string, unknown>>;
}

const ADD = { header: 'x-a', type: 'Add', value: '1' };
const REMOVE = { header: 'x-b', type: 'Remove' };

export const SAMPLES: readonly Sample[] = [
  {
    ruleType: 'Redirect',
    dialect: 'spec',
    pair: { source: SOURCE, destinationType: 'url', destination: 'https://example.org' },
  },
  {
    ruleType: 'Redirect',
    dialect: 'client',
    pair: { source: { ...SOURCE, filters: {} }, destinationType: 'mock_or_file_picker', destination: '' },
  },
  { ruleType: 'Cancel', dialect: 'spec', pair: { source: { key: 'Host', operator: 'Equals', value: 'example.com' } } },
  {
    ruleType: 'Cancel',
    dialect: 'client',
    pair: { source: { key: 'host', operator: 'Equals', value: '', filters: [{ pageUrl: 'x' }] } },
  },
  { ruleType: 'Replace', dialect: 'spec', pair: { source: SOURCE, from: 'a', to: 'b' } },
  { ruleType: 'Replace', dialect: 'client', pair: { source: { ...SOURCE, filters: null }, from: '/[/', to: '' } },
  {
    ruleType: 'Headers',
    dialect: 'spec',
    pair: { source: SOURCE, modifications: [ADD, REMOVE, { ...ADD, type: 'Modify' }] },
  },
  {
    ruleType: 'Headers',
    dialect: 'client',
    pair: { source: SOURCE, modifications: { Request: [ADD], Response: [REMOVE] } },
  },
  { ruleType: 'UserAgent', dialect: 'spec', pair: { source: SOURCE, userAgent: 'curl/8' } },
  {
    ruleType: 'UserAgent',
    dialect: 'client',
    pair: { source: { ...SOURCE, key: 'path' }, userAgent: '', env: 'device' },
  },
  {
    ruleType: 'QueryParam',
    dialect: 'spec',
    pair: {
      source: SOURCE,
      modifications: [
        { param: 'a', type: 'Add', value: '1' },
        { param: 'b', type: 'Remove' },
      ],
    },
  },
  {
    ruleType: 'QueryParam',
    dialect: 'client',
    pair: { source: SOURCE, modifications: [{ param: '', type: 'Remove All' }] },
  },
  { ruleType: 'Request', dialect: 'spec', pair: { type: 'static', value: '{"a":1}' } },
  {
    ruleType: 'Request',
    dialect: 'client',
    pair: { source: SOURCE, request: { type: 'code', value: 'function modify() {}' } },
  },
  { ruleType: 'Response', dialect: 'spec', pair: { type: 'code', value: 'x', serveWithoutRequest: true } },
  {
    ruleType: 'Response',
    dialect: 'client',
    pair: {
      source: SOURCE,
      response: {
        type: 'static',
        value: '{}',
        statusCode: '200',
        statusText: 'OK',
        resourceType: 'restApi',
        serveWithoutRequest: false,
      },
    },
  },
  { ruleType: 'Delay', dialect: 'spec', pair: { source: SOURCE, delay: 1500 } },
  { ruleType: 'Delay', dialect: 'client', pair: { source: SOURCE, delay: '1500' } },
];

export function rulePayload(
  ruleType: RuleType = 'Cancel',
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const sample = SAMPLES.find((each) => each.ruleType === ruleType) as Sample;
  return { name: `a ${ruleType} rule`, ruleType, pairs: [sample.pair], ...more };
}
