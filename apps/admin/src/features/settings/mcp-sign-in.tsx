'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { CopyButton } from '../../design/copy-button';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural } from '../../format/numbers';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { useOrganisation, useScope } from '../../shell/scope';
import { McpSignInForm } from './mcp-sign-in-form';

/** Sign-in of web clients to MCP servers, for those who may change the organisation. */
export function McpSignIn() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const params = { organisationId };
  const { data, error, refetch } = useRead(rest.getMcpSignIn, { params });
  const [editing, setEditing] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const isOn = data !== undefined && data.issuer !== null;
  const turnOff: Question = {
    title: 'Stop accepting tokens?',
    consequence:
      'Clients that have signed in are refused within five seconds. The rules are deleted. API keys go on.',
    confirm: 'Stop accepting tokens',
    run: () => client.call(rest.deleteMcpSignIn, { params }),
    stale: [rest.getMcpSignIn.id],
    done: 'Tokens are no longer accepted.',
  };
  return (
    <Card title="Sign-in of web clients to MCP servers">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <SkeletonRows rows={2} label="Loading the sign-in" />
      )}
      {data !== undefined && (
        <>
          {isOn ? <SignInFacts signIn={data} /> : <p className="text-sm text-ink-soft">{OFF}</p>}
          <div className="mt-4 flex flex-wrap gap-2">
            <Button onClick={() => setEditing(true)}>{isOn ? 'Edit' : 'Set up'}</Button>
            {isOn && <Button onClick={() => setQuestion(turnOff)}>Stop accepting tokens</Button>}
          </div>
        </>
      )}
      {editing && <McpSignInForm onClose={() => setEditing(false)} />}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </Card>
  );
}

const OFF =
  'Off. Clients need an API key. Set it up to let people use MCP servers from web clients by signing in at your identity provider.';

function SignInFacts({ signIn }: { signIn: rest.McpSignIn }) {
  const { slug } = useOrganisation();
  const { edgeUrl } = useScope();
  const { issuer, audiences, rules, scopes } = signIn;
  const address = `${edgeUrl}/v1/mcp/${slug}/`;
  return (
    <Facts
      facts={[
        { name: 'Issuer', value: <code className="font-mono text-sm break-all">{issuer}</code> },
        { name: 'Rules', value: plural(rules.length, 'rule') },
        { name: 'Required scopes', value: scopes.length === 0 ? 'none' : scopes.join(', ') },
        {
          name: 'Further audiences',
          value: audiences.length === 0 ? 'none' : audiences.join(', '),
        },
        {
          name: 'Addresses for clients',
          value: (
            <span className="flex flex-wrap items-center gap-2">
              <code className="min-w-0 font-mono text-sm break-all">{address}…</code>
              <CopyButton text={address} label="Copy the beginning of the address" />
              <span className="text-sm text-ink-soft">followed by the server’s identifier</span>
            </span>
          ),
        },
      ]}
    />
  );
}
