/** Parts of Mockoon's files, with the members that Mockoon writes of each. */
export const response = (label: string, more: object = {}) => ({
  uuid: label,
  body: label,
  latency: 0,
  statusCode: 200,
  label,
  headers: [],
  bodyType: 'INLINE',
  filePath: '',
  databucketID: '',
  sendFileAsBody: false,
  rules: [],
  rulesOperator: 'OR',
  disableTemplating: false,
  fallbackTo404: false,
  default: false,
  crudKey: 'id',
  callbacks: [],
  ...more,
});

export const route = (target: string, responses: unknown[] = [response('ok')], more: object = {}) => {
  const [method = '', endpoint = ''] = target.split(' ');
  return {
    uuid: `${target}${responses.length}`,
    type: 'http',
    documentation: '',
    method,
    endpoint,
    responses,
    responseMode: null,
    ...more,
  };
};

export const rule = (target: string, modifier: string, operator: string, value = '', invert = false) => ({
  target,
  modifier,
  value,
  invert,
  operator,
});

export const environment = (routes: unknown[], more: object = {}) => ({
  uuid: 'e',
  lastMigration: 33,
  name: 'Shop',
  endpointPrefix: '',
  latency: 0,
  port: 3000,
  hostname: '',
  folders: [],
  routes,
  proxyMode: false,
  proxyHost: '',
  proxyRemovePrefix: false,
  tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
  cors: true,
  headers: [],
  proxyReqHeaders: [],
  proxyResHeaders: [],
  data: [],
  callbacks: [],
  ...more,
});
