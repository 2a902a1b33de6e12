// AWS's token service, and what gives credentials to containers and instances.

import {
  json,
  text,
  type Issuer,
  type IssuerAnswer,
  type IssuerRow,
  type IssuersDeps,
  type Mint,
} from './issuer';

const ROLE = 'sim-role';
const IMDS_TOKEN = 'imds-session';
const IMDS = '/latest/meta-data/iam/security-credentials/';

export function awsIssuers({ settings }: IssuersDeps, { temporaryKey }: Mint): IssuerRow[] {
  const awsSts: Issuer = ({ form }) => {
    const known = settings().subjectTokens.includes(form.get('WebIdentityToken') ?? '');
    const whole = /^arn:aws:iam::\d{12}:role\//.test(form.get('RoleArn') ?? '');
    if (form.get('Action') !== 'AssumeRoleWithWebIdentity' || !whole || !known) {
      const said = '<Error><Type>Sender</Type><Code>InvalidIdentityToken</Code></Error>';
      return { status: 400, type: 'text/xml', body: `<ErrorResponse>${said}</ErrorResponse>` };
    }
    const { AccessKeyId, Expiration, SecretAccessKey, Token } = temporaryKey();
    const body = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>
<SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
    return { status: 200, type: 'text/xml', body };
  };

  const awsContainer: Issuer = ({ headers }) =>
    settings().subjectTokens.includes(headers['authorization'] ?? '')
      ? json(200, temporaryKey())
      : json(401, { Code: 'Unauthorized' });

  const awsImdsToken: Issuer = ({ headers }) =>
    Number(headers['x-aws-ec2-metadata-token-ttl-seconds']) > 0
      ? text(200, IMDS_TOKEN)
      : text(400, 'Bad Request');
  const withImdsToken =
    (answer: () => Omit<IssuerAnswer, 'issuer'>): Issuer =>
    ({ headers }) =>
      headers['x-aws-ec2-metadata-token'] === IMDS_TOKEN ? answer() : text(401, 'Unauthorized');

  return [
    ['POST', /^\/_cloud\/sts\/$/, 'sts', awsSts],
    ['GET', /^\/_cloud\/container$/, 'aws-container', awsContainer],
    ['PUT', /^\/latest\/api\/token$/, 'imds-token', awsImdsToken],
    ['GET', new RegExp(`^${IMDS}$`), 'imds-role', withImdsToken(() => text(200, ROLE))],
    ['GET', new RegExp(`^${IMDS}${ROLE}$`), 'imds', withImdsToken(() => json(200, temporaryKey()))],
  ];
}
