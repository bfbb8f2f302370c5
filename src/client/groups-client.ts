/** Groups: `client.groups`. */
import type { Page } from '../model/queries.ts';
import type {
  Conditional,
  GroupInput,
  GroupQuery,
  GroupRecord,
  KnownPage,
  Listed,
  OwnedGroupRecord,
  Repeatable,
} from './shapes.ts';
import type { Transport } from './transport.ts';

export class GroupsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: GroupQuery = {}, options?: KnownPage<Listed<OwnedGroupRecord>>): Promise<Page<Listed<OwnedGroupRecord>>> {
    return this.#transport.page(['groups'], { ...query }, options);
  }

  get(id: string): Promise<GroupRecord> {
    return this.#transport.record('GET', ['groups', id]);
  }

  create(body: GroupInput, options?: Repeatable): Promise<OwnedGroupRecord> {
    return this.#transport.record('POST', ['groups'], { ...options, body });
  }

  /** Absent `status` and `isFavourite` keep their values. */
  update(id: string, body: GroupInput, options?: Conditional): Promise<GroupRecord> {
    return this.#transport.record('PUT', ['groups', id], { ...options, body });
  }

  /** The rules of the group become ungrouped. */
  async delete(id: string, options?: Conditional): Promise<void> {
    await this.#transport.send('DELETE', ['groups', id], options);
  }
}
