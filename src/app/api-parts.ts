/** The parts of the service that the endpoints of the API use. */
import type { Build } from '../base/own-build.ts';
import type { DriftBook } from '../drift/drift-book.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import type { Auth } from '../http/admission/auth.ts';
import type { HttpServer } from '../http/server.ts';
import type { StaticFile } from '../http/static/read-files.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { OwnerQuotas } from '../owners/owner-quotas.ts';
import type { CodeLane } from '../code-lane/code-lane.ts';
import type { SandboxPool } from '../sandbox/sandbox-pool.ts';
import type { GatewayBook } from '../sessions/gateway-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface ApiParts {
  readonly config: Config;
  readonly build: Build;
  readonly owners: OwnerDirectory;
  readonly quotas: Pick<OwnerQuotas, 'limitsOf'>;
  readonly auth: Auth;
  readonly sandbox: SandboxPool;
  readonly signing: SigningKeys;
  /** Undefined where code is off. */
  readonly code: CodeLane | undefined;
  readonly store: Store;
  readonly dataPlane: DataPlane;
  readonly egress: Egress;
  readonly homes: MockHomes;
  readonly sessions: SessionBook;
  readonly gatewaySessions: GatewayBook;
  readonly drifts: DriftBook;
  /** None without the console. */
  readonly consoleFiles: readonly StaticFile[];
  /** Makes the answer of `/metrics`. */
  readonly scrape: () => Promise<{ contentType: string; text: string }>;
  readonly isReady: () => boolean;
  readonly isDraining: () => boolean;
  readonly http: Pick<HttpServer, 'ask'>;
}
