/** Answer of `GET /v1/version`: the schema that the API and the client share. */
import { Type } from './schema-type.ts';

export const versionSchema = Type.Object({
  version: Type.String({ description: 'Of the package, such as 0.2.0.' }),
  commit: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The commit that was built, with "-dirty" behind it when files were changed; null when it is unknown.',
  }),
  storeFormat: Type.Integer({ description: 'Format of the store: a server does not open a newer one.' }),
});
