import {
  DECISIONS_KEPT,
  RESPONSE_CACHE_MODES,
  type DecisionsKept,
  type ResponseCacheMode,
} from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { BillingRecipient } from './billing-recipient';

export const ORGANISATION_STATUSES = ['ACTIVE', 'SUSPENDED', 'ARCHIVED'] as const;
export type OrganisationStatus = (typeof ORGANISATION_STATUSES)[number];

/** The tenant boundary. Settings are columns, because the data plane reads each by name. */
@Entity('organisation')
@Unique(['slug'])
@Check('organisation_slug_check', `slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'`)
@Check('organisation_status_check', oneOf('status', ORGANISATION_STATUSES))
@Check('organisation_retention_days_check', 'retention_days > 0')
@Check('organisation_keep_decisions_check', oneOf('keep_decisions', DECISIONS_KEPT))
@Check('organisation_keep_decisions_days_check', 'keep_decisions_days BETWEEN 1 AND 90')
@Check('organisation_response_cache_check', oneOf('response_cache', RESPONSE_CACHE_MODES))
@Check('organisation_kept_bodies_percent_check', 'kept_bodies_percent BETWEEN 1 AND 100')
@Check('organisation_kept_bodies_days_check', 'kept_bodies_days BETWEEN 1 AND 90')
@Check('organisation_response_cache_ttl_seconds_check', 'response_cache_ttl_seconds > 0')
@Check(
  'organisation_response_cache_price_percent_check',
  'response_cache_price_percent BETWEEN 0 AND 100',
)
export class Organisation extends BillingRecipient {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: 'ACTIVE' })
  status!: OrganisationStatus;

  /** IANA name; budget and quota periods follow this zone's calendar. */
  @Column('text', { default: 'UTC' })
  timeZone!: string;

  /** Lets the compatibility chat routes serve models of any provider. */
  @Column('boolean', { default: false })
  openCompatRoutes!: boolean;

  /** Responses include the provider's own name of the model. */
  @Column('boolean', { default: false })
  tellUpstreamModel!: boolean;

  /** Sends requests without an output bound with the bound that is held for them. */
  @Column('boolean', { default: true })
  sendOutputBound!: boolean;

  /** Puts prompts and answers into the spans of traced requests. */
  @Column('boolean', { default: false })
  traceContent!: boolean;

  /** Applies routing policies to the compatibility routes too. */
  @Column('boolean', { default: false })
  routeCompatRequests!: boolean;

  @Column('boolean', { default: false })
  routingEnabled!: boolean;

  /** Keys of tags that requests may set. */
  @Column('text', { array: true, default: '{}' })
  tagKeys!: string[];

  /** Refuses requests that set another tag; otherwise that tag is ignored. */
  @Column('boolean', { default: false })
  refuseUnknownTags!: boolean;

  /** Retention of usage records in days; null: unlimited. */
  @Column('integer', { nullable: true })
  retentionDays!: number | null;

  /** Whose decisions are kept with what they are made of. */
  @Column('text', { default: 'REFUSED' })
  keepDecisions!: DecisionsKept;

  /** For how long; at most `retentionDays`. */
  @Column('integer', { default: 7 })
  keepDecisionsDays!: number;

  /** How keys without a setting of their own use the response cache. */
  @Column('text', { default: 'OFF' })
  responseCache!: ResponseCacheMode;

  /** The longest that a kept answer is used. */
  @Column('integer', { default: 3_600 })
  responseCacheTtlSeconds!: number;

  /** What a kept answer costs, in percent of its cost at today's price. */
  @Column('integer', { default: 0 })
  responseCachePricePercent!: number;

  /** Raised to delete all kept answers: those of another generation are never found. */
  @Column('integer', { default: 0 })
  responseCacheGeneration!: number;

  /** Requests are kept for its administrators. */
  @Column('boolean', { default: false })
  keepRequestBodies!: boolean;

  /** Answers are kept for its administrators. */
  @Column('boolean', { default: false })
  keepAnswerBodies!: boolean;

  /** The share of requests whose bodies are kept. */
  @Column('integer', { default: 100 })
  keptBodiesPercent!: number;

  /** Of that share, only requests that fail. */
  @Column('boolean', { default: false })
  keptBodiesOnlyFailed!: boolean;

  @Column('integer', { default: 7 })
  keptBodiesDays!: number;

  /** Platform operators may look at bodies too. */
  @Column('boolean', { default: false })
  keptBodiesForOperators!: boolean;

  /** When all bodies were deleted last: those of earlier requests that still arrive are dropped. */
  @Column('timestamptz', { nullable: true })
  keptBodiesFrom!: Date | null;

  /** Regions in which its requests may be processed; empty: any. */
  @Column('text', { array: true, default: [] })
  allowedRegions!: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
