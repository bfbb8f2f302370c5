/** The addresses of mocks and sessions, as the API shows them. */
import type { MockUrls } from '../http/api/mocks/replies.ts';
import type { SessionUrls } from '../http/api/mocks/sessions.ts';
import type { MockPorts } from '../serving/supervisor/data-plane-options.ts';
import { mockUrl, type Config } from './config.ts';

type UrlConfig = Pick<Config, 'mockUrlTemplate' | 'mockDomain'>;

/** A host name's label has so many characters at most. */
const LABEL_CHARS_MAX = 63;

export function mockUrls(
  { mockUrlTemplate, mockDomain }: UrlConfig,
  mockId: string,
  { port, httpsPort, mtlsPort }: MockPorts,
): MockUrls {
  const secure = (at: number): string => mockUrl(httpsTemplate(mockDomain), mockId, at);
  return {
    url: mockUrl(mockUrlTemplate, mockId, port),
    ...(httpsPort !== undefined && { httpsUrl: secure(httpsPort) }),
    ...(mtlsPort !== undefined && { mtlsUrl: secure(mtlsPort) }),
  };
}

/** The addresses of a session of a mock: as a label of the host name, and as a path of a host that names no mock. */
export function sessionUrls(
  { mockUrlTemplate, mockDomain }: UrlConfig,
  mockId: string,
  sessionId: string,
  { port, httpsPort, mtlsPort }: MockPorts,
): SessionUrls {
  const secure = (
    at: number | undefined,
    host: 'httpsHostUrl' | 'mtlsHostUrl',
    path: 'httpsPathUrl' | 'mtlsPathUrl',
  ) => {
    if (at === undefined) return {};
    // All sessions of a mock have one certificate.
    const { hostUrl, pathUrl } = urlsBy(httpsTemplate(mockDomain), mockId, sessionId, at, '.');
    return { ...(hostUrl !== null && { [host]: hostUrl }), [path]: pathUrl };
  };
  return {
    ...urlsBy(mockUrlTemplate, mockId, sessionId, port, '--'),
    ...secure(httpsPort, 'httpsHostUrl', 'httpsPathUrl'),
    ...secure(mtlsPort, 'mtlsHostUrl', 'mtlsPathUrl'),
  };
}

function httpsTemplate(mockDomain: string): string {
  return `https://<mock_id>.${mockDomain}:<port>`;
}

function urlsBy(
  template: string,
  mockId: string,
  sessionId: string,
  port: number,
  separator: '--' | '.',
): Pick<SessionUrls, 'hostUrl' | 'pathUrl'> {
  const label = `${sessionId}${separator}${mockId}`;
  const ofHost = template.replace(/^(https?:\/\/)<mock_id>\./, '$1');
  const hasLabel = ofHost !== template;
  const base = mockUrl(ofHost, mockId, port).replace(/\/+$/, '');
  return {
    hostUrl: hasLabel && label.length <= LABEL_CHARS_MAX ? mockUrl(template, label, port) : null,
    pathUrl: hasLabel ? `${base}/__mock/${mockId}/__session/${sessionId}` : `${base}/__session/${sessionId}`,
  };
}
