/** A session of a mock made of the recipe `oidc`: one test's own OpenID provider. docs/guide-oidc.md. */
import type { SigningSetting } from '../model/mocks/definition/signing-schema.ts';
import type { Client } from './client.ts';
import type { MockSession } from './mock-session.ts';

/** Its claims; a `password` is not one of them. */
export interface OidcUser {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly password?: string;
  readonly [claim: string]: unknown;
}

export interface OidcClient {
  readonly client_id: string;
  /** Without one, any secret is accepted, and none. */
  readonly client_secret?: string;
  /** Without them, any address is accepted. */
  readonly redirect_uris?: readonly string[];
  readonly post_logout_redirect_uris?: readonly string[];
}

/** Members of the variable `oidc`: those that are absent stay as the mock has them. */
export interface OidcOptions {
  readonly users?: readonly OidcUser[];
  /** None: any client and redirect address. */
  readonly clients?: readonly OidcClient[];
  /** `auto` signs in the first user without a page. */
  readonly login?: 'page' | 'auto';
  /** Further claims of all tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly lifetimes?: Partial<Readonly<Record<'access' | 'id' | 'refresh' | 'code', number>>>;
  readonly issuer?: string;
  /** Base of the addresses that a browser opens. */
  readonly browserUrl?: string;
  /** How long a device waits for its user. */
  readonly deviceSeconds?: number;
  /** Whether a refresh token works once, as with providers that rotate them. */
  readonly refreshOnce?: boolean;
  /** The part that every token gets wrong. */
  readonly break?: NonNullable<SigningSetting['break']>;
  readonly signing?: SigningSetting;
}

export async function oidcSession(
  { mocks }: Pick<Client, 'mocks'>,
  { id }: { readonly id: string },
  { break: broken, signing, ...members }: OidcOptions = {},
): Promise<MockSession> {
  const { version } = await mocks.get(id);
  const { settings } = await mocks.version(id, version);
  const { oidc, ...others } = settings.variables ?? {};
  const variables = { ...others, oidc: { ...(oidc as object | undefined), ...members } };
  const own = { ...settings.signing, ...signing, ...(broken === undefined ? {} : { break: broken }) };
  return mocks.session(id, { overlay: { settings: { variables, signing: own } } });
}
