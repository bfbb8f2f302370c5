/** The fields of a route and of one of its responses. What is left is written: a field, or a row of fields that belong together. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { bound } from '../../parts/bound.ts';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { METHODS } from '../../parts/request-text.ts';
import { CrudFields } from './crud-fields.tsx';
import { below, JsonField, type ErrorAt } from './fields.tsx';
import { newResponse, storeNameOf } from './new-route.ts';
import { ResponseForm } from './response-form.tsx';
import { ResponseList } from './response-list.tsx';
import { SELECTION_CHOICES } from './route-words.ts';

interface RouteFormProps {
  readonly mockId: string;
  readonly route: MockRoute;
  /** undefined: the first. */
  readonly responseId: string | undefined;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (route: MockRoute) => void;
  readonly onRevise: (revised: (route: MockRoute) => MockRoute) => void;
  readonly onSave: () => void;
}

export function RouteForm(props: RouteFormProps): JSX.Element {
  const { mockId, route, responseId, canEdit, errorAt, onChange, onRevise, onSave } = props;
  const field = bound(route, onChange, errorAt, !canEdit);
  const found = route.responses.findIndex(({ id }) => id === responseId);
  const index = Math.max(0, found);
  const response = route.responses[index];
  return (
    <form
      class="stack route-form"
      aria-label="Route"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
      onChange={(event) => {
        if (unitOf(event.target) === null) onSave();
      }}
      onFocusOut={(event) => {
        const unit = unitOf(event.target);
        if (unit !== null && !unit.contains(event.relatedTarget as Node | null)) onSave();
      }}
    >
      <div class="route-line">
        {route.kind !== 'crud' && (
          <TextField
            label="Method"
            {...field('method')}
            onInput={(method) => onChange({ ...route, method: method.toUpperCase() })}
            suggestions={[...METHODS, 'ANY']}
            monospace
          />
        )}
        <TextField label="Path" {...field('path')} monospace />
        {route.kind !== 'crud' && (
          <SelectField
            label="Path is"
            {...field('pathKind')}
            value={route.pathKind ?? 'segments'}
            options={PATH_CHOICES}
            onChange={(kind) => {
              const { pathKind: _, ...rest } = route;
              onChange(kind === 'regex' ? { ...rest, pathKind: kind } : rest);
            }}
          />
        )}
      </div>
      <div class="route-line">
        <SelectField
          label="Kind"
          {...field('kind')}
          value={route.kind ?? 'http'}
          options={KIND_CHOICES}
          onChange={(kind) => onChange(ofKind(route, kind))}
        />
        {route.kind === 'crud' && (
          <CrudFields mockId={mockId} route={route} canEdit={canEdit} errorAt={errorAt} onChange={onChange} />
        )}
        {route.kind === 'ws' && (
          <>
            <JsonField
              label="Protocols"
              hint="The first that the client offers is agreed on:"
              example='["v1"]'
              value={route.protocols}
              canEdit={canEdit}
              error={errorAt('/protocols')}
              onChange={(protocols) => onChange(withMember(route, 'protocols', protocols))}
            />
            <JsonField
              label="Milliseconds between ticks"
              hint="For responses to ticks:"
              example="1000"
              value={route.tickMs}
              canEdit={canEdit}
              error={errorAt('/tickMs')}
              onChange={(tickMs) => onChange(withMember(route, 'tickMs', tickMs))}
            />
            <SelectField
              label="Ticks go to"
              {...field('tickTo')}
              value={route.tickTo ?? 'each'}
              options={TICK_CHOICES}
              onChange={(tickTo) => onChange(withMember(route, 'tickTo', tickTo === 'each' ? undefined : tickTo))}
            />
          </>
        )}
      </div>
      <div class="route-line">
        {route.kind !== 'crud' && (
          <SelectField
            label="Answers"
            {...field('selection')}
            options={SELECTION_CHOICES}
            onChange={(selection) => onChange(fallingThrough({ ...route, selection }, route.otherwise === 'next'))}
          />
        )}
        {route.selection === 'rules' && route.kind === undefined && (
          <SelectField
            label="Otherwise"
            {...field('otherwise')}
            value={route.otherwise ?? 'default'}
            options={OTHERWISE_CHOICES}
            onChange={(otherwise) => onChange(fallingThrough(route, otherwise === 'next'))}
          />
        )}
        <TextField label="Description" {...field('description')} />
      </div>
      <ResponseList
        mockId={mockId}
        route={route}
        index={index}
        canEdit={canEdit}
        errorAt={errorAt}
        onRevise={onRevise}
      />
      {response !== undefined && (
        <ResponseForm
          key={response.id}
          response={response}
          number={index + 1}
          selection={route.selection}
          isSocket={route.kind === 'ws'}
          isOnly={route.responses.length === 1}
          canEdit={canEdit}
          errorAt={below(errorAt, `/responses/${index}`)}
          onChange={(next) => onChange({ ...route, responses: route.responses.with(index, next) })}
          onSave={onSave}
        />
      )}
    </form>
  );
}

const PATH_CHOICES = [
  ['segments', 'segments: /users/:id'],
  ['regex', 'a pattern of all of it'],
] as const;

const KIND_CHOICES = [
  ['http', 'requests'],
  ['ws', 'WebSocket'],
  ['crud', 'items of a store'],
] as const;

const TICK_CHOICES = [
  ['each', 'each socket, numbered for itself'],
  ['all', 'all sockets, the same message at once'],
] as const;

/** What only the other kind has is left out. */
function ofKind(route: MockRoute, kind: 'http' | 'ws' | 'crud'): MockRoute {
  const {
    kind: _kind,
    otherwise: _otherwise,
    protocols: _protocols,
    compress: _compress,
    tickMs: _tickMs,
    tickTo: _tickTo,
    store: _store,
    dialect: _dialect,
    ...rest
  } = route;
  if (kind === 'ws') return { ...rest, kind, method: 'GET' };
  const responses = rest.responses.map(
    ({ when: _when, to: _to, close: _close, silent: _silent, ...response }) => response,
  );
  if (kind === 'http') return { ...rest, responses };
  const { pathKind: _pathKind, ...crud } = rest;
  const others = responses.map((response) => ({ ...response, default: false }));
  const last = others.at(-1);
  // The last one is what the store answers.
  const isFree = last !== undefined && last.body === '' && last.rules.length === 0;
  const all = isFree ? others : [...others, newResponse()];
  return { ...crud, kind, store: storeNameOf(crud.path), method: 'ANY', selection: 'rules', responses: all };
}

/** @param value Undefined: the route does not have it. */
function withMember(route: MockRoute, name: 'protocols' | 'tickMs' | 'tickTo', value: unknown): MockRoute {
  const { [name]: _before, ...rest } = route;
  return value === undefined ? rest : { ...rest, [name]: value };
}

const OTHERWISE_CHOICES = [
  ['default', 'the default response'],
  ['next', 'the next route that matches'],
] as const;

/** Only a route that chooses by conditions falls through to the next. */
function fallingThrough(route: MockRoute, isNext: boolean): MockRoute {
  const { otherwise: _, ...rest } = route;
  return isNext && route.selection === 'rules' ? { ...rest, otherwise: 'next' } : rest;
}

/** Fields that make sense together alone, as those of a rule: they are written when all of them are left. A unit may be part of another. */
function unitOf(target: EventTarget | null): Element | null {
  const unit = target instanceof Element ? target.closest('[data-unit]') : null;
  return unit?.parentElement?.closest('[data-unit]') ?? unit;
}
