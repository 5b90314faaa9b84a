"""The vendor contract and the tool-call verifier: what is asked, judged and kept."""
