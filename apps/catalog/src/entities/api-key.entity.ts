import {
  API_KEY_TYPES,
  RESPONSE_CACHE_MODES,
  TRUSTED_ATTRIBUTIONS,
  type ApiKeyType,
  type ResponseCacheMode,
  type TrustedAttribution,
} from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';
import { RoutingPolicy } from './routing-policy.entity';
import { Team } from './team.entity';
import { User } from './user.entity';

export const API_KEY_STATUSES = ['ACTIVE', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export const API_KEY_KINDS = ['NORMAL', 'PLAYGROUND'] as const;
export type ApiKeyKind = (typeof API_KEY_KINDS)[number];

/** A credential of the data plane. The key itself is shown once and not stored. */
@Entity('api_key')
@Unique(['keySha256'])
@Unique(['organisationId', 'id'])
@Index(['organisationId', 'createdAt', 'id'])
@Index(['teamId'])
@Index(['userId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => Team, ['organisationId', 'teamId'], ['organisationId', 'id'])
@ForeignKey(() => User, ['organisationId', 'userId'], ['organisationId', 'id'])
@ForeignKey(() => RoutingPolicy, ['organisationId', 'routingPolicyId'], ['organisationId', 'id'])
@Check('api_key_key_sha256_check', 'octet_length(key_sha256) = 32')
@Check('api_key_type_check', oneOf('type', API_KEY_TYPES))
@Check('api_key_kind_check', oneOf('kind', API_KEY_KINDS))
@Check('api_key_status_check', oneOf('status', API_KEY_STATUSES))
@Check('api_key_response_cache_check', oneOf('response_cache', RESPONSE_CACHE_MODES))
@Check('api_key_trusted_attribution_check', oneOf('trusted_attribution', TRUSTED_ATTRIBUTIONS))
@Check(
  'api_key_owner_check',
  `CASE type
    WHEN 'ORGANISATION' THEN team_id IS NULL AND user_id IS NULL
    WHEN 'TEAM' THEN team_id IS NOT NULL AND user_id IS NULL
    ELSE user_id IS NOT NULL END`,
)
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  type!: ApiKeyType;

  /** PLAYGROUND keys are created by the console for 15 minutes and are not listed. */
  @Column('text', { default: 'NORMAL' })
  kind!: ApiKeyKind;

  /** The charged team: a TEAM key's owner, or the team that a USER key names. */
  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('uuid', { nullable: true })
  routingPolicyId!: string | null;

  @Column('bytea')
  keySha256!: Buffer;

  @Column('text')
  preview!: string;

  @Column('text', { default: 'ACTIVE' })
  status!: ApiKeyStatus;

  /** Null: as keys of its type are by default. */
  @Column('text', { nullable: true })
  trustedAttribution!: TrustedAttribution | null;

  /** How it uses the response cache. Null: as the organisation's setting says. */
  @Column('text', { nullable: true })
  responseCache!: ResponseCacheMode | null;

  /** False: its bodies are not kept, whatever the organisation keeps. */
  @Column('boolean', { default: true })
  keepBodies!: boolean;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  /** The user who created it; kept when that user is deleted. */
  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  /** Regions in which its requests may be processed; empty: it adds no rule. */
  @Column('text', { array: true, default: [] })
  allowedRegions!: string[];

  /** Providers whose endpoints it may call as they are. */
  @Column('uuid', { array: true, default: [] })
  passthroughProviderIds!: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
