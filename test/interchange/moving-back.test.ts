/** From another server and back: what was exact is the same when it is written, and read again. */
import { expect, test } from 'vitest';
import { draws } from '../../src/base/seeded-draw.ts';
import { exportMock } from '../../src/interchange/export-mock.ts';
import type { MockExportName } from '../../src/interchange/mock-formats.ts';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { mockoon } from '../prove/oracles/mockoon.ts';
import { wiremock } from '../prove/oracles/wiremock.ts';
import { runs } from '../support/effort.ts';
import { definitionOf, imported } from '../support/imports.ts';
import * as mocks from '../support/mocks.ts';
import { environment, route as mockoonRoute } from './whole/mockoon-parts.ts';

/** Ids are made of places and labels; scenarios and states come in the order in which stubs name them. */
function without({ settings, routes }: MockDefinition): unknown {
  const { scenarios = [] } = settings;
  return {
    settings: {
      ...settings,
      scenarios: scenarios.map(({ name, states }) => JSON.stringify([name, ...states.toSorted()])).toSorted(),
    },
    routes: routes.map(({ id: _route, ...route }) => ({
      ...route,
      responses: route.responses.map(({ id: _response, ...response }) => response),
    })),
  };
}

function thereAndBack(definition: MockDefinition, format: MockExportName): unknown {
  const { file, report } = exportMock({ name: 'Shop', description: '', definition }, format);
  expect(report.entries).toEqual([]);
  return without(definitionOf(imported(file)));
}

test('paths of Mockoon that only patterns say come back as they were', () => {
  const endpoints = [
    'items/:id([0-9]+)',
    'legacy/(v1|v2)/ping',
    'a/*',
    'ab(cd)?e',
    'ab+c',
    'q/:p*',
    'x/:a?/z',
    'v1/:user-id',
    's/',
  ];
  const definition = definitionOf(imported(environment(endpoints.map((each) => mockoonRoute(`get ${each}`)))));
  const { file } = exportMock({ name: 'Shop', description: '', definition }, 'mockoon');
  const { routes } = JSON.parse(file) as { readonly routes: readonly { readonly endpoint: string }[] };
  expect(routes.map(({ endpoint }) => endpoint)).toEqual(endpoints);
});

test.each(['mockoon', 'wiremock'] as const)(
  '%s gets what a body says of GraphQL; the rest is lost by name',
  (format) => {
    const on = (property: string) => mocks.rule('graphql', property, 'equals', 'x');
    const responses = [
      mocks.response({ id: 'kept', rules: [on('variables.id'), on('hash')] }),
      mocks.response({ id: 'lost', rules: [on('operation')] }),
      mocks.response({ id: 'else' }),
    ];
    const definition = mocks.define([mocks.route('POST /graphql', responses)]);
    const { file, report } = exportMock({ name: 'Shop', description: '', definition }, format);
    expect(report.entries).toMatchObject([
      { code: `${format}-export.rule`, message: expect.stringContaining('graphql') },
    ]);
    for (const part of ['variables.id', 'extensions.persistedQuery.sha256Hash']) expect(file).toContain(part);
  },
);

/** At full effort all, else as many from a random one on. */
const SOURCES = 150;
const tried = runs(SOURCES);
const first = Math.floor(Math.random() * (SOURCES - tried + 1));

test.each([
  ['mockoon' as const, mockoon],
  ['wiremock' as const, wiremock],
])('%s', (format, oracle) => {
  for (let number = first; number < first + tried; number++) {
    const definition = definitionOf(imported(oracle.source(draws(1, 1, number))));
    expect(thereAndBack(definition, format), `source ${number}`).toEqual(without(definition));
  }
});
