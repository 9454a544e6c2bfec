"""The monthly budget of the project. It tells; it never stops anything."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
import pulumi_gcp as gcp

from hybrid_pools.blueprint.model.monitoring import Budget

_BASES = (("CURRENT_SPEND", "actual_shares"), ("FORECASTED_SPEND", "forecast_shares"))


def declare_budget(
    name: str, budget: Budget, project: str, channels: Sequence[pulumi.Input[str]], child: pulumi.ResourceOptions
) -> gcp.billing.Budget:
    """Declare the budget.

    Args:
        name: Name of the component.
        project: Project id; Google keeps and returns its number, so the number is asked for and declared.
        channels: Identifiers of channels for e-mail. The billing account's administrators are told in any case.
        child: Options of a child of the component.
    """
    number = gcp.organizations.get_project_output(
        project_id=project, opts=pulumi.InvokeOutputOptions(parent=child.parent, depends_on=child.depends_on)
    ).number
    return gcp.billing.Budget(
        f"{name}-budget",
        billing_account=budget.billing_account,
        display_name=budget.title,
        amount=gcp.billing.BudgetAmountArgs(
            specified_amount=gcp.billing.BudgetAmountSpecifiedAmountArgs(currency_code=budget.currency, units=str(budget.amount))
        ),
        budget_filter=gcp.billing.BudgetBudgetFilterArgs(
            projects=[number.apply(lambda known: f"projects/{known}")],
            calendar_period="MONTH",
            credit_types_treatment="INCLUDE_ALL_CREDITS",
        ),
        threshold_rules=[
            gcp.billing.BudgetThresholdRuleArgs(threshold_percent=share, spend_basis=basis)
            for basis, shares in (("CURRENT_SPEND", budget.actual_shares), ("FORECASTED_SPEND", budget.forecast_shares))
            for share in shares
        ],
        all_updates_rule=gcp.billing.BudgetAllUpdatesRuleArgs(monitoring_notification_channels=list(channels), schema_version="1.0")
        if channels
        else None,
        opts=child,
    )
