import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { AlertDestination } from './alert-destination.entity';
import { AlertRule } from './alert-rule.entity';

/** A destination of a rule. */
@Entity('alert_rule_destination')
@Index(['destinationId'])
@ForeignKey(() => AlertRule, ['ruleId'], ['id'], { onDelete: 'CASCADE' })
@ForeignKey(() => AlertDestination, ['destinationId'], ['id'], { onDelete: 'CASCADE' })
export class AlertRuleDestination {
  @PrimaryColumn('uuid')
  ruleId!: string;

  @PrimaryColumn('uuid')
  destinationId!: string;
}
