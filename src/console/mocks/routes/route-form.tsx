/** The fields of a route and one of its responses. Leaving a field, or a row of fields that belong together, writes it. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { bound, boundChoice, boundJson, below, type ErrorAt } from '../../parts/bound.ts';
import { ReadOnly, SelectField, TextField } from '../../parts/controls.tsx';
import { METHODS } from '../../parts/request-text.ts';
import { CrudFields } from './crud-fields.tsx';
import { JsonField } from './fields.tsx';
import { newResponse, storeNameOf } from './new-route.ts';
import { ResponseForm } from './response-form.tsx';
import { ResponseList } from './response-list.tsx';
import { SELECTION_CHOICES } from './route-words.ts';
import { choices, labelOf } from '../../parts/words.ts';

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
  const field = bound(route, onChange, errorAt);
  const found = route.responses.findIndex(({ id }) => id === responseId);
  const index = Math.max(0, found);
  const response = route.responses[index];
  return (
    <ReadOnly.Provider value={!canEdit}>
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
          <TextField label="Description" {...field('description')} />
        </div>
        <RouteOptions {...props} />
        <ResponseList mockId={mockId} route={route} index={index} errorAt={errorAt} onRevise={onRevise} />
        {response !== undefined && (
          <ResponseForm
            key={response.id}
            response={response}
            number={index + 1}
            selection={route.selection}
            isSocket={route.kind === 'ws'}
            isOnly={route.responses.length === 1}
            errorAt={below(errorAt, `/responses/${index}`)}
            onChange={(next) => onChange({ ...route, responses: route.responses.with(index, next) })}
            onSave={onSave}
          />
        )}
      </form>
    </ReadOnly.Provider>
  );
}

/** Options that most routes leave at their defaults, summarised in one line. */
function RouteOptions({ mockId, route, errorAt, onChange }: RouteFormProps): JSX.Element {
  const edit = [route, onChange, errorAt] as const;
  const [field, choice, json] = [bound(...edit), boundChoice(...edit), boundJson(...edit)];
  const { kind = 'http', pathKind = 'segments', selection, otherwise = 'default' } = route;
  const isInvalid = ['kind', 'pathKind', 'selection', 'otherwise'].some((name) => errorAt(`/${name}`) !== undefined);
  const words = [
    labelOf(KIND_CHOICES, kind),
    pathKind === 'regex' && 'path pattern',
    kind !== 'crud' && labelOf(SELECTION_CHOICES, selection),
    otherwise === 'next' && 'otherwise the next route',
  ];
  return (
    <details open={kind !== 'http' || isInvalid}>
      <summary>
        Options: <span class="muted">{words.filter(Boolean).join(' · ')}</span>
      </summary>
      <div class="fields route-options">
        <SelectField
          label="Kind"
          {...field('kind')}
          value={kind}
          options={KIND_CHOICES}
          onChange={(next) => onChange(ofKind(route, next))}
        />
        {kind === 'crud' ? (
          <CrudFields mockId={mockId} route={route} errorAt={errorAt} onChange={onChange} />
        ) : (
          <>
            <SelectField label="Path type" {...choice('pathKind', 'segments')} options={PATH_CHOICES} />
            <SelectField
              label="Selection"
              {...field('selection')}
              options={SELECTION_CHOICES}
              onChange={(next) => onChange(fallingThrough({ ...route, selection: next }, otherwise === 'next'))}
            />
          </>
        )}
        {kind === 'http' && selection === 'rules' && (
          <SelectField
            label="Otherwise"
            {...field('otherwise')}
            value={otherwise}
            options={OTHERWISE_CHOICES}
            onChange={(next) => onChange(fallingThrough(route, next === 'next'))}
          />
        )}
        {kind === 'ws' && (
          <>
            <JsonField
              label="Protocols"
              hint="Subprotocols, in order of preference:"
              example='["v1"]'
              {...json('protocols')}
            />
            <JsonField label="Tick interval, ms" hint="For responses to ticks:" example="1000" {...json('tickMs')} />
            <SelectField label="Send ticks to" {...choice('tickTo', 'each')} options={TICK_CHOICES} />
          </>
        )}
      </div>
    </details>
  );
}

const PATH_CHOICES = choices({ segments: 'segments, like /users/:id', regex: 'a regular expression' });

const KIND_CHOICES = choices({ http: 'HTTP', ws: 'WebSocket', crud: 'CRUD over a store' });

const TICK_CHOICES = choices({ each: 'each socket, with its own numbers', all: 'all sockets, with the same message' });

/** Changes the kind, and removes the members of the previous one. */
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
  // The store answers with the last response.
  const isFree = last !== undefined && last.body === '' && last.rules.length === 0;
  const all = isFree ? others : [...others, newResponse()];
  return { ...crud, kind, store: storeNameOf(crud.path), method: 'ANY', selection: 'rules', responses: all };
}

const OTHERWISE_CHOICES = choices({ default: 'the default response', next: 'the next route that matches' });

/** Only a route that selects by conditions can fall through to the next. */
function fallingThrough(route: MockRoute, isNext: boolean): MockRoute {
  const { otherwise: _, ...rest } = route;
  return isNext && route.selection === 'rules' ? { ...rest, otherwise: 'next' } : rest;
}

/** The outermost group of fields that make sense only together, such as those of a condition. Leaving the group writes it. */
function unitOf(target: EventTarget | null): Element | null {
  const unit = target instanceof Element ? target.closest('[data-unit]') : null;
  return unit?.parentElement?.closest('[data-unit]') ?? unit;
}
