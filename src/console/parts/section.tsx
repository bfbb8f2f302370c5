/** Parts of a screen: a section with its heading, a list of facts, a table. The first cell of a row is its heading. */
import { Fragment, type ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { numberText } from './words.ts';

interface SectionProps {
  readonly title: ComponentChildren;
  readonly level?: 2 | 3;
  readonly class?: string;
  /** Controls at the other end of the heading. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, level = 3, class: look = 'stack', beside, children }: SectionProps): JSX.Element {
  const id = useId();
  const heading = level === 2 ? <h2 id={id}>{title}</h2> : <h3 id={id}>{title}</h3>;
  return (
    <section class={look} aria-labelledby={id}>
      {beside === undefined ? (
        heading
      ) : (
        <header class="spread">
          {heading}
          {beside}
        </header>
      )}
      {children}
    </section>
  );
}

interface FactsProps {
  readonly class?: string;
  readonly rows: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

export const Facts = ({ class: look = '', rows }: FactsProps): JSX.Element => (
  <dl class={`facts ${look}`}>
    {rows.map(([name, value], index) => (
      <Fragment key={index}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);

interface TableProps {
  readonly class?: string;
  readonly caption?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export const Table = ({ class: look, caption, head, rows }: TableProps): JSX.Element => (
  <table class={look}>
    {caption !== undefined && <caption>{caption}</caption>}
    <thead>
      <tr>
        {head.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([first, ...others], index) => (
        <tr key={index}>
          <th scope="row">{first}</th>
          {others.map((cell, place) => (
            <td key={place}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface SeveralProps<Each> {
  readonly of: readonly Each[];
  readonly one: (each: Each, index: number) => JSX.Element;
  readonly atOnce?: number;
}

/** In steps of a hundred: an import may change 5,000. */
export function Several<Each>({ of, one, atOnce = 100 }: SeveralProps<Each>): JSX.Element {
  const [shown, setShown] = useState(atOnce);
  return (
    <>
      {of.slice(0, shown).map(one)}
      {of.length > shown && (
        <Button onClick={() => setShown(shown + atOnce)}>
          Show {Math.min(atOnce, of.length - shown)} more of {numberText(of.length - shown)}
        </Button>
      )}
    </>
  );
}
