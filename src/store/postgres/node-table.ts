/**
 * The nodes that serve one store together, and which of them is the home of a mock: the one that serves it.
 *
 * A node is known by its id, and each of its lives by an incarnation. A home is valid as long as the incarnation that has
 * it is: a node that is fenced has none.
 */
import { gatewayKey, rulesKey } from '../../model/gateway/home-key.ts';
import type { PublishedMock } from '../../model/mocks/definition/definition.ts';
import { decodePublished } from '../codec/mock-codec.ts';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';

/** One run of a node: a restart or a fence starts a new one. */
export interface Incarnation {
  readonly nodeId: string;
  readonly incarnation: number;
}

export interface NodeRow extends Incarnation {
  /** Rises while the node is alive. */
  readonly beat: number;
  readonly isFenced: boolean;
  readonly leaseMs: number;
  /** `host:port`, where the other nodes reach it. */
  readonly address: string;
  /** Which process it is (base/process-identity.ts); undefined where that cannot be known. */
  readonly process: string | undefined;
}

export interface Home extends Incarnation {
  readonly mockId: string;
  /** Empty of a mock that was deleted. */
  readonly ownerId: string;
  readonly address: string;
}

type NewNode = Pick<NodeRow, 'nodeId' | 'leaseMs' | 'address' | 'process'>;

const COLUMNS = 'node_id, incarnation, beat, fenced, lease_ms, address, process';

interface StoredNode {
  readonly node_id: string;
  readonly incarnation: string;
  readonly beat: string;
  readonly fenced: boolean;
  readonly lease_ms: string;
  readonly address: string;
  readonly process: string | null;
}

const HOMES = `select mock_id, owner_id, node_id, incarnation, address
  from mock_home join node using (node_id, incarnation) left join record_owner on record_id = mock_id
  where not fenced and mock_id = any($1::text[])`;

/** The nodes that apply rules of an owner. One of an older version is known as the home of the gateway alone. */
const RULES_AT = `select mock_id, node_id, incarnation, address from node join mock_home using (node_id, incarnation)
  where not fenced and mock_id = $1
  union all select mock_id, node_id, incarnation, address from node join mock_home using (node_id, incarnation)
  where not fenced and mock_id = $2 || node_id`;

/** Only what is published has a home, and what has a key of home-key.ts; and only a node that lives gets it. */
const CLAIM = `insert into mock_home (mock_id, node_id, incarnation)
  select key, $2, $3 from unnest($1::text[]) as key
    where (key like '${gatewayKey('')}%' or key like '${rulesKey()}%' or exists (select from published_mock where mock_id = key))
      and exists (select from node where node_id = $2 and incarnation = $3 and not fenced)
    order by key
  on conflict (mock_id) do update set node_id = excluded.node_id, incarnation = excluded.incarnation
    where not exists (select from node
      where node.node_id = mock_home.node_id and node.incarnation = mock_home.incarnation and not fenced)`;

export class NodeTable {
  /** A connection of its own: a beat waits for nothing else. */
  readonly #beats: Connection;
  readonly #rest: Connection;

  constructor(beats: Connection, rest: Connection) {
    this.#beats = beats;
    this.#rest = rest;
  }

  async find(nodeId: string): Promise<NodeRow | undefined> {
    const rows = await this.#rest.rows<StoredNode>(`select ${COLUMNS} from node where node_id = $1`, [nodeId]);
    return rows.map(nodeOf)[0];
  }

  /**
   * Begins an incarnation.
   *
   * @param known The row that was found: nothing is done when it has changed since.
   * @returns undefined when it has.
   */
  async begin(node: NewNode, known: NodeRow | undefined): Promise<Incarnation | undefined> {
    const values = [node.nodeId, node.leaseMs, node.address, node.process ?? null];
    const text =
      known === undefined
        ? `insert into node (${COLUMNS}) values ($1, 1, 0, false, $2, $3, $4) on conflict do nothing returning incarnation`
        : `update node set incarnation = incarnation + 1, beat = 0, fenced = false, lease_ms = $2, address = $3, process = $4
            where node_id = $1 and incarnation = $5 and beat = $6 returning incarnation`;
    const rows = await this.#rest.rows<{ incarnation: string }>(
      text,
      known === undefined ? values : [...values, known.incarnation, known.beat],
    );
    return rows.map(({ incarnation }) => ({ nodeId: node.nodeId, incarnation: Number(incarnation) }))[0];
  }

  /**
   * Says that a node is alive, and reads who else is.
   *
   * @param until Of `performance.now()`: after that it is given up.
   * @returns The nodes that are not fenced; undefined when this incarnation is over.
   * @throws When the database does not answer in time: whether it was done is not known.
   */
  beat({ nodeId, incarnation }: Incarnation, until: number): Promise<readonly NodeRow[] | undefined> {
    return this.#beats.use(async (queries) => {
      const beaten = await queries.rows(
        'update node set beat = beat + 1 where node_id = $1 and incarnation = $2 and not fenced returning beat',
        [nodeId, incarnation],
        'beat',
      );
      if (beaten.length === 0) return undefined;
      return (await queries.rows<StoredNode>(`select ${COLUMNS} from node where not fenced`, [], 'nodes')).map(nodeOf);
    }, until);
  }

  /** Ends an incarnation whose beat has stood still. @returns Whether it had not moved. */
  async fence({ nodeId, incarnation, beat }: NodeRow): Promise<boolean> {
    const rows = await this.#rest.rows(
      `update node set fenced = true where node_id = $1 and incarnation = $2 and beat = $3 and not fenced returning 1`,
      [nodeId, incarnation, beat],
    );
    if (rows.length === 0) return false;
    // Nobody takes them over.
    await this.#rest.rows(`delete from mock_home where node_id = $1 and mock_id like '${rulesKey()}%'`, [nodeId]);
    return true;
  }

  /** Ends an incarnation that serves nothing any more. */
  async end({ nodeId, incarnation }: Incarnation): Promise<void> {
    const values = [nodeId, incarnation];
    await this.#rest.rows('update node set fenced = true where node_id = $1 and incarnation = $2', values);
    await this.#rest.rows('delete from mock_home where node_id = $1 and incarnation = $2', values);
  }

  /** The homes of so many mocks, as of a moment after the call. Those without one are not among them. */
  async homesOf(mockIds: readonly string[]): Promise<Map<string, Home>> {
    const rows = await this.#rest.rows<StoredHome>(HOMES, [textArray(mockIds)], 'homes');
    return new Map(rows.map((row) => [row.mock_id, readHome(row)]));
  }

  /** The nodes that apply rules of an owner, as of a moment after the call. One may be there twice. */
  async rulesAt(ownerId: string): Promise<readonly Home[]> {
    const keys = [gatewayKey(ownerId), rulesKey(ownerId)];
    return (await this.#rest.rows<StoredHome>(RULES_AT, keys, 'rules')).map(readHome);
  }

  /** Makes a node the home of those of the mocks that are published and have none. */
  async claim(mockIds: readonly string[], { nodeId, incarnation }: Incarnation): Promise<void> {
    await this.#rest.rows(CLAIM, [textArray(mockIds), nodeId, incarnation], 'claim');
  }

  /** Ends the home of a mock that is deleted. */
  async release(mockId: string): Promise<void> {
    await this.#rest.rows(
      'delete from mock_home where mock_id = $1 and not exists (select from published_mock where mock_id = $1)',
      [mockId],
    );
  }

  /** Published mocks whose home is this node; undefined for a deleted one. */
  async publishedAt({ nodeId, incarnation }: Incarnation): Promise<Map<string, PublishedState | undefined>> {
    const rows = await this.#rest.rows<{ mock_id: string; entry: Buffer | null }>(
      `select mock_id, entry from mock_home left join published_mock using (mock_id) where node_id = $1 and incarnation = $2`,
      [nodeId, incarnation],
    );
    return new Map(
      rows.map(({ mock_id: mockId, entry }) => [mockId, entry === null ? undefined : decodePublished(entry, mockId)]),
    );
  }
}

type StoredHome = Pick<StoredNode, 'node_id' | 'incarnation' | 'address'> & {
  readonly mock_id: string;
  readonly owner_id?: string | null;
};

function readHome({ mock_id: mockId, owner_id: ownerId, node_id: nodeId, incarnation, address }: StoredHome): Home {
  return { mockId, ownerId: ownerId ?? '', nodeId, incarnation: Number(incarnation), address };
}

/** Identifies a state of a published mock. */
export type PublishedState = Pick<PublishedMock, 'ownerId' | 'createdVersion' | 'state' | 'version'>;

function nodeOf(row: StoredNode): NodeRow {
  return {
    nodeId: row.node_id,
    incarnation: Number(row.incarnation),
    beat: Number(row.beat),
    isFenced: row.fenced,
    leaseMs: Number(row.lease_ms),
    address: row.address,
    process: row.process ?? undefined,
  };
}
