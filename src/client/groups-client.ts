/** Groups: `client.groups`. */
import type { Page } from '../model/queries.ts';
import type { GroupInput, GroupQuery, GroupRecord, Guarded, OwnedGroupRecord, Repeatable } from './shapes.ts';
import type { Transport } from './transport.ts';

export class GroupsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: GroupQuery = {}): Promise<Page<OwnedGroupRecord>> {
    return this.#transport.page(['groups'], { ...query });
  }

  get(id: string): Promise<GroupRecord> {
    return this.#transport.record('GET', ['groups', id]);
  }

  create(body: GroupInput, options?: Repeatable): Promise<OwnedGroupRecord> {
    return this.#transport.record('POST', ['groups'], { ...options, body });
  }

  /** Absent `status` and `isFavourite` keep their value. */
  update(id: string, body: GroupInput, options?: Guarded): Promise<GroupRecord> {
    return this.#transport.record('PUT', ['groups', id], { ...options, body });
  }

  /** Its rules become ungrouped. */
  async delete(id: string, options?: Guarded): Promise<void> {
    await this.#transport.send('DELETE', ['groups', id], options);
  }
}
