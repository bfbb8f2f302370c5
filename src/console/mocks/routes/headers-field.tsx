/** The headers of a response, in order. */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { RemoveButton, useRows } from '../../parts/arrange.tsx';
import { bound } from '../../parts/bound.ts';
import { Button, TextField } from '../../parts/controls.tsx';
import type { ErrorAt } from './fields.tsx';
import { NEW_HEADER } from './new-route.ts';

const NAMES = ['content-type', 'location', 'cache-control', 'retry-after', 'set-cookie', 'etag', 'x-request-id'];
const MEDIA_TYPES = ['application/json', 'text/plain; charset=utf-8', 'text/html; charset=utf-8', 'application/xml'];

interface HeadersFieldProps {
  readonly headers: readonly HeaderLine[];
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (headers: readonly HeaderLine[]) => void;
  readonly onSave: () => void;
}

export function HeadersField({ headers, canEdit, errorAt, onChange, onSave }: HeadersFieldProps): JSX.Element {
  const { root, add, set, remove } = useRows(headers, onChange, onSave);
  return (
    <section class="stack" aria-label="Headers" ref={root}>
      <div class="row">
        <h3>Headers</h3>
        {headers.length === 0 && !canEdit && <span class="muted">none</span>}
        {canEdit && (
          <span class="add-row" tabIndex={-1}>
            <Button kind="quiet" label="Add a header" onClick={() => add(NEW_HEADER)}>
              Add
            </Button>
          </span>
        )}
      </div>
      {headers.map((line, index) => {
        const field = bound(
          line,
          (next) => set(index, next),
          () => undefined,
          !canEdit,
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
              error={errorAt(`/${index}`)}
            />
            <TextField
              label={`Value of header ${index + 1}`}
              hiddenLabel
              placeholder="value"
              {...field('value')}
              suggestions={line.name.toLowerCase() === 'content-type' ? MEDIA_TYPES : undefined}
              monospace
            />
            {canEdit && <RemoveButton what={`header ${line.name}`} onClick={() => remove(index)} />}
          </div>
        );
      })}
    </section>
  );
}
