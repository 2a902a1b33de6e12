'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';

interface ScopeNameProps {
  readonly scope: rest.Scope;
  /** Omits the type, where a title already says it. */
  readonly bare?: boolean;
}

/** The scope of a limit by name. */
export function ScopeName({ scope, bare = false }: ScopeNameProps) {
  const { id: organisationId, name } = useOrganisation();
  switch (scope.type) {
    case 'ORGANISATION':
      return <Named kind="Organisation" name={name} bare={bare} />;
    case 'TEAM':
      return <TeamName params={{ organisationId, teamId: scope.id }} bare={bare} />;
    case 'USER':
      return <UserName params={{ organisationId, userId: scope.id }} bare={bare} />;
    case 'API_KEY':
      return <KeyName params={{ organisationId, apiKeyId: scope.id }} bare={bare} />;
    case 'MODEL':
      return <ModelName params={{ organisationId, modelId: scope.id }} bare={bare} />;
    case 'MCP_SERVER':
      return <McpServerName params={{ organisationId, mcpServerId: scope.id }} bare={bare} />;
    case 'END_USER':
      return <EachValue of="Each end user" scope={scope} />;
    case 'SESSION':
      return <EachValue of="Each session" scope={scope} />;
    case 'TAG':
      return <EachValue of={`Each value of the tag ${scope.tagKey ?? ''}`} scope={scope} />;
  }
}

/** A limit that each value has for itself, among all requests or those of a team or key. */
function EachValue({ of, scope: { id } }: { readonly of: string; readonly scope: rest.Scope }) {
  const organisation = useOrganisation();
  return (
    <span className="break-words">
      {of}
      {id !== organisation.id && <span className="text-ink-soft"> of a team or key</span>}
    </span>
  );
}

interface InOrganisation<Name extends string> {
  readonly params: { organisationId: string } & Record<Name, string>;
  readonly bare: boolean;
}

function TeamName({ params, bare }: InOrganisation<'teamId'>) {
  const { data } = useRead(rest.getTeam, { params });
  return <Named kind="Team" name={data?.name} bare={bare} />;
}

function UserName({ params, bare }: InOrganisation<'userId'>) {
  const { data } = useRead(rest.getUser, { params });
  return <Named kind="User" name={data?.name} bare={bare} />;
}

function KeyName({ params, bare }: InOrganisation<'apiKeyId'>) {
  const { data } = useRead(rest.getApiKey, { params });
  return <Named kind="Key" name={data?.name} bare={bare} />;
}

function ModelName({ params, bare }: InOrganisation<'modelId'>) {
  const { data } = useRead(rest.getModel, { params });
  return <Named kind="Model" name={data?.name} bare={bare} />;
}

function McpServerName({ params, bare }: InOrganisation<'mcpServerId'>) {
  const { data } = useRead(rest.getMcpServer, { params });
  return <Named kind="MCP server" name={data?.name} bare={bare} />;
}

interface NamedProps {
  readonly kind: string;
  readonly name: string | undefined;
  readonly bare: boolean;
}

/** Shows only the type while the name loads or is not readable. */
function Named({ kind, name, bare }: NamedProps) {
  return (
    <span className="break-words">
      {(!bare || name === undefined) && <span className="font-normal text-ink-soft">{kind} </span>}
      {name}
    </span>
  );
}
