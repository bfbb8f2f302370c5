/** The headers of a response, in order. */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { AddButton, RemoveButton, useRows } from '../../parts/arrange.tsx';
import { bound } from '../../parts/bound.ts';
import { TextField, useReadOnly } from '../../parts/controls.tsx';
import type { ResponseProps } from './fields.tsx';
import { NEW_HEADER } from './new-route.ts';

const NAMES = ['content-type', 'location', 'cache-control', 'retry-after', 'set-cookie', 'etag', 'x-request-id'];
const MEDIA_TYPES = ['application/json', 'text/plain; charset=utf-8', 'text/html; charset=utf-8', 'application/xml'];

export function HeadersField({ response, errorAt, onChange, onSave }: ResponseProps): JSX.Element {
  const { headers } = response;
  const isReadOnly = useReadOnly();
  const change = (lines: readonly HeaderLine[]): void => onChange({ ...response, headers: lines });
  const { root, add, set, remove } = useRows(headers, change, onSave);
  return (
    <section class="stack" aria-label="Headers" ref={root}>
      <div class="row">
        <h3>Headers</h3>
        {headers.length === 0 && isReadOnly && <span class="muted">none</span>}
        <AddButton label="Add a header" onClick={() => add(NEW_HEADER)} />
      </div>
      {headers.map((line, index) => {
        const field = bound(
          line,
          (next) => set(index, next),
          () => undefined,
        );
        return (
          <div class="header-row" data-unit key={index}>
            <TextField
              label={`Name of header ${index + 1}`}
              hiddenLabel
              placeholder="name"
              {...field('name')}
              suggestions={NAMES}
              monospace
              error={errorAt(`/headers/${index}`)}
            />
            <TextField
              label={`Value of header ${index + 1}`}
              hiddenLabel
              placeholder="value"
              {...field('value')}
              suggestions={line.name.toLowerCase() === 'content-type' ? MEDIA_TYPES : undefined}
              monospace
            />
            <RemoveButton what={`header ${line.name}`} onClick={() => remove(index)} />
          </div>
        );
      })}
    </section>
  );
}
