/** A table of figures. The first cell of each row is its heading. */
interface TableProps {
  readonly class: string;
  readonly caption?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export const TableHead = ({ names }: { readonly names: readonly string[] }): JSX.Element => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

export const Table = ({ class: className, caption, head, rows }: TableProps): JSX.Element => (
  <table class={className}>
    {caption !== undefined && <caption>{caption}</caption>}
    <TableHead names={head} />
    <tbody>
      {rows.map(([first, ...figures]) => (
        <tr key={first}>
          <th scope="row">{first}</th>
          {figures.map((figure, index) => (
            <td key={index}>{figure}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
